/** The fields that report a request that stays too large for its model. */

/** Why the request could not be made to fit. */
export type FailureReason =
  | "not_read"
  | "server_state"
  | "nothing_to_shed"
  | "not_kept"
  | "does_not_fit"
  | "refused_again";

/** The report of a failed recovery, as it is added to the provider's response and to the thrown error. */
export type OverflowReport = {
  readonly type: "context_overflow";
  readonly retryable: false;
  readonly reason: FailureReason;
  readonly attempts: number;
  readonly class: string;
  readonly limit: number | null;
  readonly actual: number | null;
  readonly unit: string | null;
  readonly bytes_before: number;
  readonly bytes_after: number;
  /** Refs of what was set aside; they can be read although the request failed. */
  readonly stubs: readonly string[];
  readonly largest_remaining: readonly { readonly path: string; readonly chars: number }[];
  readonly hint: string;
  readonly upstream: { readonly status: number | null; readonly body: unknown };
};
