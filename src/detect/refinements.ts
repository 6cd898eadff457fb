/** Which formats live in containers that share one signature, so that a claim may say which of them it is. */
import { kindOf } from "./media-types.ts";

/** Whether a claim names something that this container can hold. */
export function refines(claim: string, container: string): boolean {
  return holders.get(container)?.(claim) ?? false;
}

const zipArchives: ReadonlySet<string> = new Set([
  "application/java-archive",
  "application/vnd.android.package-archive",
  "application/vnd.google-earth.kmz",
  "application/vnd.ms-appx",
  "application/vnd.ms-vsix",
  "application/vnd.nuget",
  "application/x-ios-app",
  "application/x-wheel+zip",
  "application/x-xpinstall",
  "application/x-zip-npz",
  "model/3mf",
]);

/** Documents that are a package of XML, rather than a compound file or a format of their own. */
const isPackagedDocument = (claim: string): boolean =>
  /openxmlformats|opendocument|sun\.xml|macroenabled|epub|visio|xps|iwork|apple\.(pages|numbers|keynote)|hwp\+zip/.test(
    claim,
  );

const isOpenXml = (claim: string): boolean => /openxmlformats|macroenabled|visio|xps/.test(claim);

const isRawPhoto = (claim: string): boolean =>
  /^image\/x-(adobe-dng|nikon-nef|sony-arw|pentax-pef|canon-cr2|raw)/.test(claim);

const compoundBinaries: ReadonlySet<string> = new Set([
  "application/x-msi",
  "application/x-thumbs-db",
  "application/sldworks",
]);

const holders: ReadonlyMap<string, (claim: string) => boolean> = new Map([
  ["application/zip", (claim: string) => zipArchives.has(claim) || isPackagedDocument(claim)],
  ["application/vnd.openxmlformats-officedocument", isOpenXml],
  ["application/x-ole-storage", (claim) => isCompound(claim)],
  ["image/tiff", isRawPhoto],
  ["video/x-ms-asf", (claim) => /^(audio|video)\/x-ms-w/.test(claim)],
]);

/** Old office formats, and office formats of today when encrypted. */
const isCompound = (claim: string): boolean =>
  kindOf(claim) === "office_doc" || compoundBinaries.has(claim) || claim === "image/vnd.fpx" || claim === "image/x-mic";
