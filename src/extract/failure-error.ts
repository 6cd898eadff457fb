/** The error of a reader that cannot go on: it becomes the failure of the extract. */
import type { Failure } from "./handler.ts";

export class FailureError extends Error {
  readonly reason: Failure["reason"];
  constructor(reason: Failure["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}
