/** Compares detection with its peers: accuracy under true and false claims, and CPU per file, on one corpus. */
import { isUtf8 } from "node:buffer";
import { spawnSync } from "node:child_process";
import { detectContentKind } from "../src/detect/detect.ts";
import type { ContentKind, Detection } from "../src/detect/kind.ts";
import { canonicalizeMediaType, findContentKind } from "../src/detect/media-types.ts";
import type { ClaimMode, Corpus, LabelledFile, Score } from "../test/detection.ts";
import * as corpora from "../test/detection.ts";

/** What this bench measures, for the heading of its output. */
export const about = "Content kinds and media types against npm file-type and libmagic, with the CPU each takes.";

/** Prints accuracy and CPU of our detection and of the installed peers; says so if there is no corpus. */
export async function run(): Promise<void> {
  const corpus = corpora.readCorpus();
  if (corpus === null) {
    console.log(`No corpus at ${corpora.corpusFolder()}; set SPILLWAY_CORPUS.`);
    return;
  }
  const rows: Row[] = [];
  for (const mode of corpora.claimModes) rows.push(...(await measureOurs(corpus, mode)));
  rows.push(await measureFileType(corpus), measureLibmagic(corpus));
  console.log(`${corpus.files.length} files, digest ${corpus.digest.slice(0, 16)}`);
  console.table(Object.fromEntries(rows.map((row) => [row.name, cells(row)])));
  console.log(footnotes);
  console.log("\nMicroseconds for one file at a prefix of 4 KB, bytes only, median and 90th percentile over the files");
  console.table(await measureSpeed(corpus));
}

type Row = { readonly name: string; readonly score: Score | null; readonly cpuMicros: number };
type Answer = { readonly kind: ContentKind; readonly mediaType: string };

const footnotes = `CPU is user and system time per file, files in memory: of this process for ours and file-type (process.cpuUsage,
after a warm-up round), of the child for libmagic (the shell's "times"), which reads the files from disk and loads its
database once. Peers take no claims. An answer counts by the kind of its media type; where file-type has none, valid
UTF-8 without NULs counts as text. "merged" takes text and html as one.`;

function cells({ score, cpuMicros }: Row): Record<string, string | number> {
  if (score === null) return { "kind %": "not installed" };
  const percent = (share: number): string => (share * 100).toFixed(2);
  return {
    "kind %": percent(score.kind),
    "merged %": percent(score.merged),
    "binary as text": score.binaryAsText,
    "pdf recall %": percent(score.pdfRecall),
    "office recall %": percent(score.officeRecall),
    "media type %": percent(score.mediaType),
    "CPU us/file": cpuMicros.toFixed(1),
  };
}

async function measureOurs({ files }: Corpus, mode: ClaimMode): Promise<Row[]> {
  const claims = `${mode.header === "none" ? "no header" : `header ${mode.header}`}${mode.hasName ? " + name" : ""}`;
  const first = await measureAnswers(files, async (file) => corpora.detectPrefix(file, mode));
  const whole = await measureAnswers(files, (file) => corpora.detectWhole(file, mode));
  return [
    { name: `ours, first look, ${claims}`, ...first },
    { name: `ours, whole body, ${claims}`, ...whole },
  ];
}

async function measureAnswers(
  files: readonly LabelledFile[],
  detect: (file: LabelledFile) => Promise<Answer>,
): Promise<Omit<Row, "name">> {
  for (const file of files) await detect(file);
  const before = process.cpuUsage();
  const answers: Answer[] = [];
  for (const file of files) answers.push(await detect(file));
  const used = process.cpuUsage(before);
  return { score: corpora.scoreAnswers(files, answers), cpuMicros: (used.user + used.system) / files.length };
}

type FileType = { fileTypeFromBuffer(bytes: Uint8Array): Promise<{ mime: string } | undefined> };

/** Installed in this folder only, so the compiler must not resolve it. */
async function fileType(): Promise<FileType | null> {
  const specifier: string = "file-type";
  return import(specifier).catch(() => null);
}

async function measureFileType({ files }: Corpus): Promise<Row> {
  const name = "npm file-type";
  const peer = await fileType();
  if (peer === null) return { name, score: null, cpuMicros: 0 };
  const detect = async (file: LabelledFile): Promise<Answer> => {
    const match = await peer.fileTypeFromBuffer(file.bytes).catch(() => undefined);
    return match === undefined ? plainOrUnknown(file.bytes) : answerOf(match.mime);
  };
  return { name, ...(await measureAnswers(files, detect)) };
}

/** Each class of files is measured separately, because deciding it has a different cost. */
const speedClasses: Readonly<Record<string, (detection: Detection) => boolean>> = {
  "signature hit": ({ decidedBy, mediaType }) => decidedBy === "magic" && !isContainer(mediaType),
  container: ({ decidedBy, mediaType }) => decidedBy === "magic" && isContainer(mediaType),
  "UTF-8 text": ({ kind, charset }) => kind === "text" && charset === "utf-8",
  "UTF-8 html": ({ kind, charset }) => kind === "html" && charset === "utf-8",
  "other charsets": ({ charset }) => charset !== null && charset !== "utf-8",
  "neither signature nor text": ({ decidedBy }) => decidedBy === "fallback",
};

/** Formats that can be distinguished only by reading a ZIP or an OLE2 file. */
const isContainer = (mediaType: string): boolean =>
  /zip|openxml|opendocument|ole|ms-(word|excel|powerpoint|office|outlook)|msword|epub|java-archive|android/.test(
    mediaType,
  );

async function measureSpeed({ files }: Corpus) {
  const peer = await fileType();
  const rows: Record<string, Record<string, string | number>> = {};
  for (const [name, belongs] of Object.entries(speedClasses)) {
    const prefixes = files.map(({ bytes }) => bytes.subarray(0, 4096));
    const members = prefixes.filter((firstBytes) => belongs(detectContentKind({ firstBytes })));
    const ours = await microsPerFile(members, (firstBytes) => detectContentKind({ firstBytes }));
    const theirs = peer && (await microsPerFile(members, (bytes) => peer.fileTypeFromBuffer(bytes).catch(() => null)));
    rows[name] = {
      files: members.length,
      "ours, median": ours.median,
      "ours, p90": ours.p90,
      "file-type, median": theirs?.median ?? "-",
    };
  }
  return rows;
}

async function microsPerFile(members: readonly Uint8Array[], detect: (bytes: Uint8Array) => unknown) {
  const micros: number[] = [];
  for (const bytes of members) {
    const rounds = 20;
    for (let i = 0; i < rounds; i++) await detect(bytes);
    const start = process.hrtime.bigint();
    for (let i = 0; i < rounds; i++) await detect(bytes);
    micros.push(Number(process.hrtime.bigint() - start) / 1_000 / rounds);
  }
  micros.sort((a, b) => a - b);
  const quantile = (share: number): string => (micros[Math.floor(micros.length * share)] ?? 0).toFixed(1);
  return { median: quantile(0.5), p90: quantile(0.9) };
}

function plainOrUnknown(bytes: Uint8Array): Answer {
  const isText = isUtf8(bytes) && !bytes.includes(0);
  return isText
    ? { kind: "text", mediaType: "text/plain" }
    : { kind: "unknown_binary", mediaType: "application/octet-stream" };
}

function measureLibmagic({ files }: Corpus): Row {
  const name = "libmagic (file --mime-type)";
  const child = spawnSync("sh", ["-c", "file --brief --mime-type --files-from -; times"], {
    input: files.map((file) => file.path).join("\n"),
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  const lines = child.stdout?.trim().split("\n") ?? [];
  if (lines.length < files.length + 2) return { name, score: null, cpuMicros: 0 };
  const score = corpora.scoreAnswers(files, lines.slice(0, files.length).map(answerOf));
  return { name, score, cpuMicros: (childSeconds(lines.at(-1) ?? "") * 1e6) / files.length };
}

/** `0m1.234s 0m0.056s`: the user and system time of the shell's children. */
function childSeconds(times: string): number {
  const parts = [...times.matchAll(/(\d+)m([\d.]+)s/g)];
  return parts.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0);
}

/** Our media types by the names that peers use for them. */
const peerNames: ReadonlyMap<string, string> = new Map([
  ["application/cdfv2", "application/x-ole-storage"],
  ["application/x-cfb", "application/x-ole-storage"],
  ["application/encrypted", "application/vnd.ms-office-encrypted"],
  ["application/vnd.ms-office", "application/x-ole-storage"],
  ["application/x-apache-arrow", "application/vnd.apache.arrow.file"],
  ["application/x-lha", "application/x-lzh-compressed"],
]);

function answerOf(mime: string): Answer {
  const mediaType = canonicalizeMediaType(mime.trim().split(";")[0] ?? "");
  return { kind: findContentKind(peerNames.get(mediaType) ?? mediaType), mediaType };
}
