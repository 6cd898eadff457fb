/** Opens the ZIP package of a document within the limits that hold for documents. */
import type { Body } from "../../detect/kind.ts";
import { openZip, type Zip } from "../zip/open-zip.ts";

/** Parts of real documents shrink to a thirtieth at most, and few documents expand to more than twenty times their size. */
const MAX_PART_RATIO = 80;
const MAX_PACKAGE_RATIO = 60;
const MAX_PARTS = 20_000;
const PACKAGE_FREE_BYTES = 24 * 1024 * 1024;

/** `maxTotalBytes` is for a document inside another, which has no limits of its own. */
export function openPackage(
  body: Body,
  maxTotalBytes = Math.max(PACKAGE_FREE_BYTES, body.sizeBytes * MAX_PACKAGE_RATIO),
): Promise<Zip> {
  return openZip(body, { maxRatio: MAX_PART_RATIO, maxTotalBytes, maxMembers: MAX_PARTS });
}
