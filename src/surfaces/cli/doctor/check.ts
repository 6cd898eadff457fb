/** One result of `spillway doctor`. */
export type Check = {
  readonly name: string;
  readonly ok: boolean;
  /** What was found; for a fault also what to do. */
  readonly detail: string;
};
