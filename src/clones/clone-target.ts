/** What is cloned, and within which limits. */
import { createHash } from "node:crypto";
import type { HttpClient } from "../acquire/http/http-client.ts";
import type { Environment } from "../config/paths.ts";
import { safeFileName } from "../system/safe-names.ts";

export type CloneTarget = {
  /** The repository's address for git, without a secret. */
  readonly url: URL;
  /** A branch, a tag, a full commit hash or a whole ref name; undefined for the default branch. */
  readonly ref: string | undefined;
  /** Headers for the host of the repository and no other. */
  readonly authorization?: string | undefined;
};

export type CloneContext = {
  /** The folder of this owner's clones. */
  readonly folder: string;
  readonly network: HttpClient;
  readonly env: Environment;
  readonly maxAgeMs: number;
  /** A larger repository is refused when it turns out to be larger, on the way or after it. */
  readonly maxBytes: number;
  readonly now: () => number;
  readonly signal: AbortSignal;
};

/** `weir-4f1c2ab09d33`: the repository's name and what it was cloned by. */
export function makeCloneName({ url, ref, authorization = "" }: CloneTarget): string {
  const digest = createHash("sha256")
    .update(`${url.href}\n${ref ?? ""}\n${authorization}`)
    .digest("hex")
    .slice(0, 12);
  const name = url.pathname.split("/").filter(Boolean).at(-1) ?? "repository";
  return `${safeFileName(name.replace(/\.git$/, "")).slice(0, 60)}-${digest}`;
}

/** Whether git takes a text for the name of a ref, not for an option, a range or a pattern. */
export const isPlainRef = (ref: string): boolean =>
  /^[^-+\s:*?^~\\[\p{Cc}][^\s:*?^~\\[\p{Cc}]*$/u.test(ref) && !ref.includes("..");
