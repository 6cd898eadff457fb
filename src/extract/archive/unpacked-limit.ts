/** How far an archive may expand. */
import { FailureError } from "../failure-error.ts";
import { MAX_UNPACKED_BYTES } from "./archive.ts";

/** A stream that shrinks further than this was made to exhaust a reader. */
const MAX_RATIO = 300;
const RATIO_FREE_BYTES = 64 * 1024 * 1024;

/** Throws once so many bytes came out of so few. */
export function checkUnpacked(unpackedBytes: number, packedBytes: number): void {
  if (
    unpackedBytes > MAX_UNPACKED_BYTES ||
    (unpackedBytes > RATIO_FREE_BYTES && unpackedBytes > packedBytes * MAX_RATIO)
  )
    throw new FailureError("too_large", "the archive unpacks to more than is read");
}
