/** The readers of office documents that this bench compares, ours first. Peers are installed in this folder only. */
import { extname } from "node:path";
import { officeEngine } from "../src/extract/office/office-engine.ts";

export type OfficeEngine = {
  readonly name: string;
  /** Extensions that it says it reads. */
  readonly reads: readonly string[];
  load(): Promise<(bytes: Uint8Array, path: string) => Promise<string>>;
};

const officeOpen = "application/vnd.openxmlformats-officedocument.";
const openDocument = "application/vnd.oasis.opendocument.";

/** Media types by extension. Files with macros are read like those without. */
export const mediaTypes: Readonly<Record<string, string>> = {
  docx: `${officeOpen}wordprocessingml.document`,
  docm: `${officeOpen}wordprocessingml.document`,
  pptx: `${officeOpen}presentationml.presentation`,
  xlsx: `${officeOpen}spreadsheetml.sheet`,
  xlsm: `${officeOpen}spreadsheetml.sheet`,
  odt: `${openDocument}text`,
  ods: `${openDocument}spreadsheet`,
  odp: `${openDocument}presentation`,
};

/** The extension of a path, in lower case and without its dot. */
export const extensionOf = (path: string): string => extname(path).slice(1).toLowerCase();

export const engines: readonly OfficeEngine[] = [
  { name: "ours", reads: Object.keys(mediaTypes), load: async () => readOurs },
  { name: "officeparser", reads: ["docx", "pptx", "xlsx", "odt", "ods", "odp"], load: loadOfficeparser },
  { name: "mammoth", reads: ["docx", "docm"], load: loadMammoth },
  { name: "SheetJS", reads: ["xlsx", "xlsm", "ods"], load: loadSheetjs },
];

async function readOurs(bytes: Uint8Array, path: string): Promise<string> {
  const mediaType = mediaTypes[extensionOf(path)] ?? "";
  const file = { content: { bytes }, sizeBytes: bytes.length, kind: "office_doc", mediaType, charset: null } as const;
  const texts: string[] = [];
  for await (const item of officeEngine.extract(file, { mode: "markdown", from: 0 })) {
    if ("failed" in item) throw new Error(`${item.failed.reason}: ${item.failed.detail}`);
    if ("segment" in item) texts.push(item.segment.text, item.segment.kind === "whole" ? "" : "\n\n");
  }
  return texts.join("");
}

/** Hides the import from the compiler, because the package may not be installed. */
async function load<T>(specifier: string): Promise<T> {
  return import(specifier);
}

type Officeparser = {
  readonly parseOffice: (bytes: Buffer) => Promise<{ to(format: "text"): Promise<{ readonly value: string }> }>;
};

async function loadOfficeparser() {
  const { parseOffice } = await load<Officeparser>("officeparser");
  return async (bytes: Uint8Array) => (await (await parseOffice(Buffer.from(bytes))).to("text")).value;
}

type Mammoth = {
  readonly default: { readonly extractRawText: (input: { buffer: Buffer }) => Promise<{ readonly value: string }> };
};

async function loadMammoth() {
  const { default: mammoth } = await load<Mammoth>("mammoth");
  return async (bytes: Uint8Array) => (await mammoth.extractRawText({ buffer: Buffer.from(bytes) })).value;
}

type Sheetjs = {
  readonly read: (bytes: Uint8Array) => { readonly SheetNames: string[]; readonly Sheets: Record<string, object> };
  readonly utils: { readonly sheet_to_csv: (sheet: object) => string };
};

async function loadSheetjs() {
  const { read, utils } = await load<Sheetjs>("@e965/xlsx");
  return async (bytes: Uint8Array) => {
    const { SheetNames, Sheets } = read(bytes);
    return SheetNames.map((name) => utils.sheet_to_csv(Sheets[name] ?? {})).join("\n");
  };
}
