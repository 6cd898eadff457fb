/** Identifies a ZIP package by its members: a declared media type, an OPC content type, or characteristic names. */
import type { FormatMatch } from "./format-match.ts";

/** What is known about a package's members. */
type ZipContents = {
  readonly names: ReadonlySet<string>;
  /** The text of the members that declare a format, as far as it was read. */
  readonly contents: ReadonlyMap<string, string>;
  /** Whether all names are known, so that a missing name counts too. */
  readonly isComplete: boolean;
};

/** The format that the members prove; else a plain archive, which a claim may refine while only its start is known. */
export function identifyZip(zip: ZipContents): FormatMatch {
  const mediaType = readDeclaredType(zip.contents) ?? findPackageType(zip) ?? findNamedType(zip);
  if (mediaType !== null) return { mediaType, isGeneric: mediaType === unspecifiedOffice };
  return { mediaType: "application/zip", isGeneric: !zip.isComplete };
}

/** An office package whose beginning does not say which format it is. */
const unspecifiedOffice = "application/vnd.openxmlformats-officedocument";

/** `mimetype` (ODF, EPUB, HWPX ...) or the root entry of an ODF manifest. */
function readDeclaredType(contents: ReadonlyMap<string, string>): string | null {
  const mimetype = contents.get("mimetype")?.trim() ?? "";
  if (/^[\w.+-]+\/[\w.+-]+$/.test(mimetype)) return mimetype.toLowerCase();
  const manifest = contents.get("META-INF/manifest.xml") ?? "";
  return /media-type="(application\/vnd\.(?:oasis\.opendocument|sun\.xml)\.[^"]+)"/.exec(manifest)?.[1] ?? null;
}

/** Open Packaging Conventions: the content type of the main part, else the parts' names. */
function findPackageType({ names, contents, isComplete: complete }: ZipContents): string | null {
  const isPackage = names.has("[Content_Types].xml") || names.has("_rels/.rels");
  if (!isPackage) return null;
  const types = `${contents.get("[Content_Types].xml") ?? ""}${contents.get("_rels/.rels") ?? ""}`;
  const main = packageTypeMarkers.find(([marker]) => types.includes(marker));
  if (main !== undefined) return main[1];
  const part = packageParts.find(([name]) => hasName(names, name));
  if (part !== undefined) return part[1];
  return complete ? null : unspecifiedOffice;
}

const officeOpen = "application/vnd.openxmlformats-officedocument.";
const docx = `${officeOpen}wordprocessingml.document`;
const xlsx = `${officeOpen}spreadsheetml.sheet`;
const pptx = `${officeOpen}presentationml.presentation`;

/** A substring of `[Content_Types].xml` or `_rels/.rels`, and the media type of the package. */
const packageTypeMarkers: readonly (readonly [marker: string, mediaType: string])[] = [
  ["wordprocessingml.document.main", docx],
  ["wordprocessingml.template.main", `${officeOpen}wordprocessingml.template`],
  ["ms-word.document.macroEnabled.main", "application/vnd.ms-word.document.macroenabled.12"],
  ["ms-word.template.macroEnabledTemplate.main", "application/vnd.ms-word.template.macroenabled.12"],
  ["spreadsheetml.sheet.main", xlsx],
  ["spreadsheetml.template.main", `${officeOpen}spreadsheetml.template`],
  ["ms-excel.sheet.macroEnabled.main", "application/vnd.ms-excel.sheet.macroenabled.12"],
  ["ms-excel.template.macroEnabled.main", "application/vnd.ms-excel.template.macroenabled.12"],
  ["ms-excel.sheet.binary.macroEnabled.main", "application/vnd.ms-excel.sheet.binary.macroenabled.12"],
  ["ms-excel.addin.macroEnabled.main", "application/vnd.ms-excel.addin.macroenabled.12"],
  ["presentationml.presentation.main", pptx],
  ["presentationml.slideshow.main", `${officeOpen}presentationml.slideshow`],
  ["presentationml.template.main", `${officeOpen}presentationml.template`],
  ["ms-powerpoint.presentation.macroEnabled.main", "application/vnd.ms-powerpoint.presentation.macroenabled.12"],
  ["ms-powerpoint.slideshow.macroEnabled.main", "application/vnd.ms-powerpoint.slideshow.macroenabled.12"],
  ["ms-powerpoint.template.macroEnabled.main", "application/vnd.ms-powerpoint.template.macroenabled.12"],
  ["ms-powerpoint.addin.macroEnabled.main", "application/vnd.ms-powerpoint.addin.macroenabled.12"],
  ["ms-visio.drawing", "application/vnd.ms-visio.drawing"],
  ["ms-visio.stencil", "application/vnd.ms-visio.stencil"],
  ["ms-visio.template", "application/vnd.ms-visio.template"],
  ["schemas.microsoft.com/visio/2010/relationships/document", "application/vnd.ms-visio.drawing"],
  ["package.xps-fixeddocument", "application/vnd.ms-xpsdocument"],
  ["schemas.microsoft.com/xps/2005/06/fixedrepresentation", "application/vnd.ms-xpsdocument"],
  ["openxps/v1.0/fixedrepresentation", "application/oxps"],
  ["3dmanufacturing", "model/3mf"],
  ["ms-appx.manifest", "application/vnd.ms-appx"],
  ["vsix-manifest", "application/vnd.ms-vsix"],
  [".vsixmanifest", "application/vnd.ms-vsix"],
  ["vsixmanifest", "application/vnd.ms-vsix"],
  ["nuspec", "application/vnd.nuget"],
  ["word/document.xml", docx],
  ["xl/workbook.bin", "application/vnd.ms-excel.sheet.binary.macroenabled.12"],
  ["xl/workbook.xml", xlsx],
  ["ppt/presentation.xml", pptx],
];

/** Part names, for what is known to be an OPC package. */
const packageParts: readonly (readonly [name: RegExp, mediaType: string])[] = [
  [/\.vsixmanifest$/, "application/vnd.ms-vsix"],
  [/\.nuspec$/, "application/vnd.nuget"],
  [/^AppxManifest\.xml$|^AppxBlockMap\.xml$/, "application/vnd.ms-appx"],
  [/^3D\/.*\.model$/i, "model/3mf"],
  [/^word\//, docx],
  [/^xl\//, xlsx],
  [/^ppt\//, pptx],
  [/^visio\//, "application/vnd.ms-visio.drawing"],
  [/\.fdseq$|\.fpage$/i, "application/vnd.ms-xpsdocument"],
];

/** Names that identify a package without a declaration; a folder called `word/` alone does not. */
const packageNames: readonly (readonly [name: RegExp, mediaType: string])[] = [
  [/^META-INF\/container\.xml$/, "application/epub+zip"],
  [/^Index\/Slide.*\.iwa$|^index\.apxl(\.gz)?$/, "application/vnd.apple.keynote"],
  [/^Index\/(Document|CalculationEngine|Tables\/.*)\.iwa$|^Index\.zip$/, "application/vnd.apple.iwork"],
  [/^buildVersionHistory\.plist$|^Metadata\/BuildVersionHistory\.plist$/, "application/vnd.apple.iwork"],
  [/^QuickLook\/(Thumbnail\.jpg|Preview\.pdf)$/, "application/vnd.apple.iwork"],
  [/^AndroidManifest\.xml$|^classes\d*\.dex$|^resources\.arsc$/, "application/vnd.android.package-archive"],
  [/^Payload\/[^/]+\.app\//, "application/x-ios-app"],
  [/^META-INF\/mozilla\.rsa$/, "application/x-xpinstall"],
  [/^META-INF\/MANIFEST\.MF$|^WEB-INF\/|\.class$/, "application/java-archive"],
  [/^[^/]+\.dist-info\/(METADATA|WHEEL|RECORD)$/, "application/x-wheel+zip"],
  [/^doc\.kml$/, "application/vnd.google-earth.kmz"],
  [/^word\/document\.xml$/, docx],
  [/^xl\/workbook\.xml$/, xlsx],
  [/^ppt\/presentation\.xml$/, pptx],
];

/** Every media type that names and parts identify; packages may declare others. */
export const packagedTypes: ReadonlySet<string> = new Set(
  [...packageTypeMarkers, ...packageParts, ...packageNames].map(([, mediaType]) => mediaType),
);

function findNamedType({ names, isComplete: complete }: ZipContents): string | null {
  const row = packageNames.find(([name, mediaType]) => hasName(names, name) && !(complete && isPart(mediaType)));
  return row?.[1] ?? null;
}

/** In a prefix, a main part may appear before the types; with the whole directory, a package must have types. */
const isPart = (mediaType: string): boolean => mediaType.startsWith(officeOpen);

function hasName(names: ReadonlySet<string>, pattern: RegExp): boolean {
  for (const name of names) if (pattern.test(name)) return true;
  return false;
}
