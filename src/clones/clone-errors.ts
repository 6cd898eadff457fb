/** The errors of a clone. */
import { SpillwayError } from "../errors.ts";
import { formatSize } from "../system/quantities.ts";
import { clip } from "../system/safe-names.ts";
import { GitError } from "./git.ts";

const FETCH_PARTS =
  "Fetch the address without forceClone for its tree, then fetch the folders and files that you need.";

export function makeSlowError({ host }: URL): SpillwayError {
  return new SpillwayError("network_timeout", `${clip(host)} took longer than ten minutes to send the repository.`, {
    hint: "Try again later, or fetch the address without forceClone and then the files that you need.",
  });
}

export function makeTooLargeError(maxBytes: number): SpillwayError {
  const sentence = `The repository is larger than ${formatSize(maxBytes)} (sites.clone_bytes).`;
  return new SpillwayError("source_refused", sentence, { hint: FETCH_PARTS });
}

export function makeTooManyFilesError(): SpillwayError {
  return new SpillwayError("source_refused", "The repository has more files than can be listed.", {
    hint: FETCH_PARTS,
  });
}

export function makeRefError(ref: string): SpillwayError {
  return new SpillwayError("source_not_found", `The repository has no branch, tag or commit ${clip(ref)}.`, {
    hint: "Fetch the repository's address without forceClone to see its default branch.",
  });
}

/** The error of a failed git; what else was thrown is returned as it is. */
export function toCloneError(error: unknown, { host }: URL, ref: string | undefined): unknown {
  if (!(error instanceof GitError)) return error;
  if (error.isOutputTooLong) return makeTooManyFilesError();
  const isRefMissing = /couldn't find remote ref|not our ref/i.test(error.detail);
  if (isRefMissing && ref !== undefined) return makeRefError(ref);
  const { code, reason } = describeGitFailure(error.detail);
  return new SpillwayError(code, `${clip(host)} could not be cloned: ${reason}.`, {
    hint: "Check the address; a private repository needs a token in the environment.",
    cause: error,
  });
}

type GitFailure = { readonly code: "source_not_found" | "source_unreadable"; readonly reason: string };

/** Git's words come in part from the server, so only known ones are repeated, as ours. */
function describeGitFailure(detail: string): GitFailure {
  const unreadable = (reason: string): GitFailure => ({ code: "source_unreadable", reason });
  if (/redirect|error: 30\d/i.test(detail)) return unreadable("it redirects; give the address that it redirects to");
  if (/not found|404|not valid: is this a git repository/i.test(detail))
    return { code: "source_not_found", reason: "there is no such repository, or it is private" };
  if (/authentication|could not read Username|403|401/i.test(detail)) return unreadable("it asks for a token");
  if (/no space left/i.test(detail)) return unreadable("the disk is full");
  if (/timed out|low speed|timeout/i.test(detail)) return unreadable("it did not answer in time");
  return unreadable("git failed");
}
