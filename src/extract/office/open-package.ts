/** Opens the ZIP package of a document within the limits that hold for documents. */
import type { Body } from "../../detect/kind.ts";
import { openZip, type Zip, type ZipBounds } from "../zip/open-zip.ts";

/** Parts of real documents shrink to a thirtieth at most, and few documents expand to more than twenty times their size. */
const MAX_PART_RATIO = 80;
const MAX_PACKAGE_RATIO = 60;
const MAX_PARTS = 20_000;
const PACKAGE_FREE_BYTES = 24 * 1024 * 1024;

/** How far documents inside others may expand together; they have no limits of their own. */
export type SharedLimit = Required<Pick<ZipBounds, "maxTotalBytes" | "readTotal">>;

export function openPackage(body: Body, limit?: SharedLimit): Promise<Zip> {
  const maxTotalBytes = Math.max(PACKAGE_FREE_BYTES, body.sizeBytes * MAX_PACKAGE_RATIO);
  return openZip(body, { maxRatio: MAX_PART_RATIO, maxMembers: MAX_PARTS, maxTotalBytes, ...limit });
}
