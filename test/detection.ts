/** Reads the labelled corpus for floors and benches, and scores detections against its labels. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { confirmKind } from "../src/detect/confirm.ts";
import { detectContentKind } from "../src/detect/detect.ts";
import { type Body, type Claims, type ContentKind, type Detection, FIRST_LOOK_BYTES } from "../src/detect/kind.ts";

/** A file of the corpus with its label. */
export type LabelledFile = {
  readonly path: string;
  readonly name: string;
  readonly kind: ContentKind;
  readonly mediaType: string;
  /** The file's kind is not text, yet every byte is clean text: reading it as text does no harm. */
  readonly isCleanText: boolean;
  readonly bytes: Uint8Array;
};

/** All files, and a digest that identifies the corpus. */
export type Corpus = { readonly files: readonly LabelledFile[]; readonly digest: string };

/** The folder from `SPILLWAY_CORPUS`, else the one next to the repository. */
export function corpusFolder(): string {
  const beside = fileURLToPath(new URL("../../shared/corpus", import.meta.url));
  return join(process.env.SPILLWAY_CORPUS ?? beside, "detection");
}

/** The corpus with its digest, or null if it is not on this machine. */
export function readCorpus(folder = corpusFolder()): Corpus | null {
  const labels = join(folder, "labels.csv");
  if (!existsSync(labels)) return null;
  const csv = readFileSync(labels, "utf8");
  const files = csv
    .trim()
    .split(/\r?\n/)
    .slice(1)
    .map(parseRow)
    .map((cells) => readLabelledFile(cells, folder));
  const digest = createHash("sha256").update(
    files
      .map((file) => file.path.slice(folder.length))
      .sort()
      .join("\n"),
  );
  return { files, digest: digest.update(csv).digest("hex") };
}

/** Cells with commas are quoted, and quotes inside them are doubled. */
function parseRow(line: string): string[] {
  const cells = line.match(/("([^"]|"")*"|[^,]*)(,|$)/g) ?? [];
  return cells.map((cell) => cell.replace(/,$/, "").replace(/^"|"$/g, "").replaceAll('""', '"'));
}

function readLabelledFile(
  [file = "", kind = "", mediaType = "", name = "", , , clean = ""]: string[],
  folder: string,
): LabelledFile {
  const path = join(folder, "files", file);
  const bytes = new Uint8Array(readFileSync(path));
  return { path, name, kind: kind as ContentKind, mediaType, isCleanText: clean === "1", bytes };
}

/** The claims about a file in one measurement. */
export type ClaimMode = { readonly header: "none" | "right" | (string & {}); readonly hasName: boolean };

/** Every header that is measured, with and without the file's name. */
export const claimModes: readonly ClaimMode[] = [
  "none",
  "right",
  "application/octet-stream",
  "text/plain",
  "text/html",
  "application/pdf",
].flatMap((header) => [
  { header, hasName: false },
  { header, hasName: true },
]);

function makeClaims(file: LabelledFile, mode: ClaimMode): Claims {
  const header = mode.header === "right" ? file.mediaType : mode.header;
  return {
    firstBytes: file.bytes.subarray(0, FIRST_LOOK_BYTES),
    ...(mode.header === "none" ? {} : { headers: { "content-type": header } }),
    ...(mode.hasName ? { url: file.name } : {}),
  };
}

/** Our result after the first look. */
export const detectPrefix = (file: LabelledFile, mode: ClaimMode): Detection =>
  detectContentKind(makeClaims(file, mode));

/** Our result after the second look. */
export function detectWhole(file: LabelledFile, mode: ClaimMode): Promise<Detection> {
  return confirmKind(memoryBody(file.bytes), makeClaims(file, mode));
}

/** Bytes in memory as a body. */
export function memoryBody(bytes: Uint8Array, chunkBytes = 65_536): Body {
  return {
    sizeBytes: bytes.length,
    read: async (start, end) => bytes.subarray(start, end),
    async *stream() {
      for (let start = 0; start < bytes.length; start += chunkBytes) yield bytes.subarray(start, start + chunkBytes);
    },
  };
}

/** How many detections were right. */
export type Score = {
  /** Shares of files, from 0 to 1. */
  readonly kind: number;
  /** Text and html taken as one. */
  readonly merged: number;
  readonly pdfRecall: number;
  readonly officeRecall: number;
  readonly mediaType: number;
  /** How many files that are not text were detected as text or html. */
  readonly binaryAsText: number;
};

type Answer = { readonly kind: ContentKind; readonly mediaType: string };

/** Scores the answers, which are in the order of `files`. */
export function scoreAnswers(files: readonly LabelledFile[], answers: readonly Answer[]): Score {
  const pairs = files.map((file, i) => [file, answers[i] as Answer] as const);
  const isRight = ([file, answer]: (typeof pairs)[number]): boolean => file.kind === answer.kind;
  const ofKind = (kind: ContentKind) => pairs.filter(([file]) => file.kind === kind);
  return {
    kind: shareOf(pairs, isRight),
    merged: shareOf(pairs, ([file, answer]) => mergedKind(file.kind) === mergedKind(answer.kind)),
    pdfRecall: shareOf(ofKind("pdf"), isRight),
    officeRecall: shareOf(ofKind("office_doc"), isRight),
    mediaType: shareOf(pairs, ([file, answer]) => file.mediaType.split(";")[0] === answer.mediaType),
    binaryAsText: pairs.filter(([file, answer]) => !isReadable(file) && mergedKind(answer.kind) === "text").length,
  };
}

const mergedKind = (kind: ContentKind): ContentKind => (kind === "html" ? "text" : kind);

const isReadable = (file: LabelledFile): boolean => file.isCleanText || mergedKind(file.kind) === "text";

function shareOf<T>(items: readonly T[], test: (item: T) => boolean): number {
  return items.filter(test).length / Math.max(items.length, 1);
}
