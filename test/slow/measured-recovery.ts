/** What test/slow/recovery-clients.test.ts records of a client, alone and under `spillway with`. */

export type RecoveryOutcome = {
  /** The model found the line, ended without it, or the client ended with an error. */
  readonly end: "found" | "lost" | "error";
  readonly requests: number;
  readonly refused: number;
  /** Input tokens of the requests that were accepted, which is what a user pays for. */
  readonly tokens: number;
};

export type MeasuredRecovery = {
  readonly client: string;
  readonly version: string;
  readonly windowTokens: number;
  readonly without: RecoveryOutcome;
  readonly with: RecoveryOutcome;
};
