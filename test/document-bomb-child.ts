/** Reads one file in a process of its own and prints what that cost: `node test/document-bomb-child.ts TYPE PATH [ENTRY]`. */
import { readFileSync, statSync } from "node:fs";
import { memoryObjects } from "../src/artifacts/memory-objects.ts";
import type { ContentKind } from "../src/detect/kind.ts";
import { describeData } from "../src/extract/data/overview.ts";
import { extractText } from "../src/extract/extract.ts";
import type { ExtractItem, LocalFile } from "../src/extract/handler.ts";
import { findHandler } from "../src/extract/handlers.ts";
import type { Engine } from "../src/extract/pool/child-loop.ts";

/** As much as a fetch extracts. */
const ENOUGH_CHARS = 300_000;

/** The engines that read in a child process, by the name of their handler; the other handlers read where they are asked. */
const engines: Readonly<Record<string, () => Promise<Engine>>> = {
  archive: async () => (await import("../src/extract/archive/archive-engine.ts")).archiveEngine,
  database: async () => (await import("../src/extract/database/database-engine.ts")).databaseEngine,
  epub: async () => (await import("../src/extract/epub/epub-engine.ts")).epubEngine,
  mail: async () => (await import("../src/extract/mail/mail-engine.ts")).mailEngine,
  notebook: async () => (await import("../src/extract/notebook/notebook-engine.ts")).notebookEngine,
};

const [mediaType = "", path = "", entry] = process.argv.slice(2);
const isData = /^(application\/(json|xml|yaml)|text\/)/.test(mediaType);
const isText = isData || /ipynb|rfc822/.test(mediaType);
const kind: ContentKind = isText ? "text" : mediaType.startsWith("image/") ? "image" : "unknown_binary";
const { signal } = new AbortController();
const file: LocalFile = { content: { path }, sizeBytes: statSync(path).size, kind, mediaType, charset: null, name: "" };
const handler = findHandler(kind, mediaType, []);
const engine = await engines[handler.name]?.();

async function* readItems(): AsyncGenerator<ExtractItem> {
  const options = { mode: "markdown", from: 0, ...(entry === undefined ? {} : { entry }) } as const;
  try {
    yield* engine === undefined ? handler.extract(file, options, signal) : engine.extract(file, options);
  } catch (error) {
    // As in a child: what an engine throws is the fault of the file.
    yield { failed: { reason: "corrupt", detail: String(error) } };
  }
}

async function describe(): Promise<number> {
  const facts = {
    ...{ sha256: "0".repeat(64), size_bytes: file.sizeBytes, content_kind: kind, media_type: mediaType },
    ...{ charset: "utf-8", source_url: "", final_url: "", name: "a.log" },
  } as const;
  const extract = await extractText({
    ...{ objects: memoryObjects(), owner: "o", facts, content: file.content, handler, mode: "markdown", signal },
    limits: { memoryBytes: 0, cpuMs: 0, wallMs: 0, children: 1 },
    enough: () => false,
    maxChars: 10_000_000,
  });
  return (await describeData(extract, { facts, maxChars: 4_000, signal }))?.text.length ?? 0;
}

const before = process.cpuUsage();
let [chars, infos]: [number, number] = [0, 0];
let reason: string | null = null;
if (isData) chars = await describe();
else
  for await (const item of readItems()) {
    if ("failed" in item) reason = item.failed.reason;
    if ("segment" in item) chars += item.segment.text.length;
    if ("info" in item) infos++;
    if (chars >= ENOUGH_CHARS) break;
  }
const { user, system } = process.cpuUsage(before);
// The peak that the system reports for a process includes that of its parent.
const peakMb = Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0) / 1024;
console.log(JSON.stringify({ cpuMs: (user + system) / 1_000, peakMb, chars, infos, reason }));
