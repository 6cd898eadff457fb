/** Which formats a container's signature can mean, so that a claim may say which of them it is. */
import { compoundTypes } from "./formats/ole.ts";
import { packagedTypes } from "./formats/zip-contents.ts";
import { findContentKind } from "./media-types.ts";

/** Whether a claim names a format that this container can be. */
export function isRefinement(claim: string, container: string): boolean {
  return claimTests.get(container)?.(claim) ?? false;
}

/** Families of formats that packages declare, and formats that cannot be recognised by their members. */
const isOtherPackage = (claim: string): boolean =>
  /openxmlformats|opendocument|sun\.xml|macroenabled|visio|iwork|apple\.(pages|numbers)|hwp\+zip|zip-npz/.test(claim);

const isOpenXml = (claim: string): boolean => /openxmlformats|macroenabled|visio|xps/.test(claim);

/** Old office formats, and current office formats when encrypted. */
const isCompound = (claim: string): boolean => compoundTypes.has(claim) || findContentKind(claim) === "office_doc";

const isRawPhoto = (claim: string): boolean =>
  /^image\/x-(adobe-dng|nikon-nef|sony-arw|pentax-pef|canon-cr2|raw)/.test(claim);

const claimTests: ReadonlyMap<string, (claim: string) => boolean> = new Map([
  ["application/zip", (claim: string) => packagedTypes.has(claim) || isOtherPackage(claim)],
  ["application/vnd.openxmlformats-officedocument", isOpenXml],
  ["application/x-ole-storage", isCompound],
  ["image/tiff", isRawPhoto],
  ["video/x-ms-asf", (claim) => /^(audio|video)\/x-ms-w/.test(claim)],
]);
