/** Artifact refs: deterministic for the same content and source, usable only by their owner. */
import { createHmac, type KeyObject } from "node:crypto";
import { SpillwayError } from "../errors.ts";
import { redactUrl } from "../system/redact-url.ts";
import { clip } from "../system/safe-names.ts";

const refForm = /^af_[0-9a-f]{32}$/;

/** A ref cannot be computed from known bytes without the owner's key. */
export function makeRef(ownerKey: KeyObject, sha256: string, sourceIdentity: string): string {
  const digest = createHmac("sha256", ownerKey).update(`${sha256}\n${sourceIdentity}`).digest("hex");
  return `af_${digest.slice(0, 32)}`;
}

/** Checks the format before the store is touched, so that a wildcard or a path never reaches it. */
export function requireRef(ref: string): void {
  if (!refForm.test(ref)) throw notFoundError(ref);
}

/** What is given in place of a ref may be a URL with a secret, which is not repeated. */
export function notFoundError(ref: string): SpillwayError {
  return new SpillwayError("artifact_not_found", `No artifact ${JSON.stringify(clip(redactUrl(ref)))} in this store.`, {
    hint: refForm.test(ref)
      ? "Fetch the source again to get a new ref."
      : "A ref is af_ and 32 hex digits, as printed by fetch.",
  });
}
