/** One deadline for a whole fetch, from the first lookup to the last byte. */
import { SpillwayError } from "../../errors.ts";
import { makeDeadlineError } from "./network-errors.ts";

/** The signals of one fetch: the caller's, the deadline's, and either of them. */
export type Deadline = {
  readonly signal: AbortSignal;
  readonly deadline: AbortSignal;
  readonly combined: AbortSignal;
  makeDeadlineError(): SpillwayError;
};

type DeadlineOptions = { readonly url: URL; readonly timeoutMs: number; readonly signal: AbortSignal };

/** Runs a fetch. An abort by the caller throws the caller's reason; what the deadline interrupts throws a timeout. */
export async function withDeadline<T>(
  { url, timeoutMs, signal }: DeadlineOptions,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const combined = AbortSignal.any([signal, deadline]);
  const makeError = () => makeDeadlineError(url, timeoutMs);
  try {
    return await work({ signal, deadline, combined, makeDeadlineError: makeError });
  } catch (error) {
    signal.throwIfAborted();
    throw deadline.aborted && !(error instanceof SpillwayError) ? makeError() : error;
  }
}
