/** Loads every engine and reads a sample with it, so that a broken installation is found before a document is. */
import type { ContentKind } from "../../../detect/kind.ts";
import type { Failure } from "../../../extract/handler.ts";
import { getPool, type Purpose, readChildLimits } from "../../../extract/pool/pools.ts";
import type { Session } from "../../../session/session.ts";
import { DETAIL_CHARS } from "../../../system/clip-lengths.ts";
import { clip } from "../../../system/safe-names.ts";
import type { Check } from "./check.ts";

const SAMPLE_TEXT = "Spillway reads this sample.";

type Sample = {
  /** As a person calls the engine, and as the child process does. */
  readonly name: string;
  readonly engine: string;
  readonly purpose: Purpose;
  readonly kind: ContentKind;
  readonly mediaType: string;
  readonly content: string;
};

/** Every engine that runs in a child process. */
const samples: readonly Sample[] = [
  {
    name: "PDFium",
    engine: "pdfium",
    purpose: "parse",
    kind: "pdf",
    mediaType: "application/pdf",
    content: writeSamplePdf(SAMPLE_TEXT),
  },
  {
    name: "pdf.js",
    engine: "pdfjs",
    purpose: "second",
    kind: "pdf",
    mediaType: "application/pdf",
    content: writeSamplePdf(SAMPLE_TEXT),
  },
  {
    name: "HTML",
    engine: "html",
    purpose: "parse",
    kind: "html",
    mediaType: "text/html",
    content: `<!doctype html><title>Sample</title><main><h1>Sample</h1><p>${SAMPLE_TEXT}</p></main>`,
  },
];

/** One check for each engine, one after the other: they may share a child process. */
export async function checkEngines(session: Session): Promise<Check[]> {
  const checks: Check[] = [];
  for (const sample of samples) checks.push(await checkEngine(sample, session));
  return [...checks, await checkSqlite()];
}

async function checkEngine(sample: Sample, { settings, signal }: Session): Promise<Check> {
  const { engine, purpose, kind, mediaType } = sample;
  const name = `engine ${sample.name}`;
  const bytes = Buffer.from(sample.content);
  const file = { content: { bytes }, sizeBytes: bytes.length, kind, mediaType, charset: "utf-8" };
  const options = { mode: "text", from: 0, limits: readChildLimits(settings) } as const;
  let text = "";
  for await (const piece of getPool(purpose, options.limits).run({ engine, file, options }, signal)) {
    if ("failed" in piece) return { name, ok: false, detail: describeFault(piece.failed) };
    if ("segment" in piece) text += piece.segment.text;
  }
  if (text.includes(SAMPLE_TEXT)) return { name, ok: true, detail: "read a sample" };
  return { name, ok: false, detail: `It read another text from a sample. ${reinstall}` };
}

const reinstall = "Install Spillway again (npm install spillway).";

function describeFault({ reason, detail }: Failure): string {
  const fault = `It cannot read a sample (${[reason.replace("_", " "), clip(detail, DETAIL_CHARS)].filter(Boolean).join(": ")}).`;
  const isLimit = reason === "too_slow" || reason === "too_large";
  return `${fault} ${isLimit ? "Raise the settings extract.memory_bytes, extract.cpu and extract.wall." : reinstall}`;
}

async function checkSqlite(): Promise<Check> {
  const name = "engine SQLite";
  try {
    const { DatabaseSync } = await import("../../../system/load-sqlite.ts");
    const database = new DatabaseSync(":memory:");
    database.exec("CREATE TABLE sample (text TEXT)");
    database.prepare("INSERT INTO sample VALUES (?)").run(SAMPLE_TEXT);
    const row = database.prepare("SELECT text FROM sample").get();
    database.close();
    if (row?.text === SAMPLE_TEXT) return { name, ok: true, detail: "read a sample" };
    return { name, ok: false, detail: "It read another text from a sample. Install another build of Node." };
  } catch (error) {
    const fault = clip(error instanceof Error ? error.message : String(error), DETAIL_CHARS);
    return { name, ok: false, detail: `It cannot be used (${fault}). Search needs it: install another build of Node.` };
  }
}

/** The smallest valid PDF with one line of text; the text must not hold parentheses. */
function writeSamplePdf(text: string): string {
  const page = `BT /F1 12 Tf 20 50 Td (${text}) Tj ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 100] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${page.length} >>\nstream\n${page}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
  ];
  let body = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const count = objects.length + 1;
  const table = `xref\n0 ${count}\n0000000000 65535 f \n${offsets.join("")}`;
  return `${body}${table}trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
}
