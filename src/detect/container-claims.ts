/** Which formats live in containers that share one signature, so that a claim may say which of them it is. */
import { compoundTypes } from "./formats/ole.ts";
import { packagedTypes } from "./formats/zip-contents.ts";
import { kindOfMediaType } from "./media-types.ts";

/** Whether a claim names something that this container can hold. */
export function isRefinement(claim: string, container: string): boolean {
  return claimTests.get(container)?.(claim) ?? false;
}

/** Families that packages declare themselves to be of, and formats whose members tell nothing. */
const isOtherPackage = (claim: string): boolean =>
  /openxmlformats|opendocument|sun\.xml|macroenabled|visio|iwork|apple\.(pages|numbers)|hwp\+zip|zip-npz/.test(claim);

const isOpenXml = (claim: string): boolean => /openxmlformats|macroenabled|visio|xps/.test(claim);

/** Old office formats, and office formats of today when encrypted. */
const isCompound = (claim: string): boolean => compoundTypes.has(claim) || kindOfMediaType(claim) === "office_doc";

const isRawPhoto = (claim: string): boolean =>
  /^image\/x-(adobe-dng|nikon-nef|sony-arw|pentax-pef|canon-cr2|raw)/.test(claim);

const claimTests: ReadonlyMap<string, (claim: string) => boolean> = new Map([
  ["application/zip", (claim: string) => packagedTypes.has(claim) || isOtherPackage(claim)],
  ["application/vnd.openxmlformats-officedocument", isOpenXml],
  ["application/x-ole-storage", isCompound],
  ["image/tiff", isRawPhoto],
  ["video/x-ms-asf", (claim) => /^(audio|video)\/x-ms-w/.test(claim)],
]);
