/** Loads every engine and reads a sample with it, so that a broken installation is found before a document is. */
import type { Failure } from "../../../extract/handler.ts";
import { getPool, readChildLimits } from "../../../extract/pool/pools.ts";
import type { Session } from "../../../session/session.ts";
import { DETAIL_CHARS } from "../../../system/clip-lengths.ts";
import { clip } from "../../../system/safe-names.ts";
import type { Check } from "./check.ts";
import { type EngineSample, SAMPLE_TEXT, samples } from "./engine-samples.ts";

/** One check for each engine, one after the other: they may share a child process. */
export async function checkEngines(session: Session): Promise<Check[]> {
  const checks: Check[] = [];
  for (const sample of samples) checks.push(await checkEngine(sample, session));
  return [...checks, await checkSqlite()];
}

async function checkEngine(sample: EngineSample, { settings, signal }: Session): Promise<Check> {
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

const reinstall = "Install Spillway again.";

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
