/** Every file of every corpus, fetched: each must end in text, facts, its kind or a typed reason, and no fetch may fail. */
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fetchSource, openSession, readArtifact, SpillwayError } from "../src/index.ts";
import { findEmptyFollowUp } from "../test/follow-up.ts";

export const about = "what becomes of every file of every corpus";

const root = process.env.SPILLWAY_CORPUS ?? join(import.meta.dirname, "..", "..", "shared", "corpus");
const folders = ["detection/files", "office", "pdf", "html", "codesearch", "overflow"];

type Outcome = "text" | "facts" | "reason" | "kind" | "empty follow-up" | "error";
const outcomes: readonly Outcome[] = ["text", "facts", "reason", "kind", "empty follow-up", "error"];

export async function run(): Promise<void> {
  await using session = await openSession({ inMemory: true });
  const names = await readNames();
  console.log(`| corpus | files | ${outcomes.join(" | ")} |\n| --- | --- |${" --- |".repeat(outcomes.length)}`);
  for (const folder of folders) {
    const counts = new Map<Outcome, number>();
    const files = await listFiles(join(root, folder));
    for (const path of files) {
      const outcome = await fetchFile(path, session);
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      const label = names.get(relative(join(root, folder), path)) ?? relative(root, path);
      if (outcome === "error" || outcome === "empty follow-up" || process.argv.includes("--list"))
        console.error(`${outcome}: ${label}`);
    }
    console.log(`| ${folder} | ${files.length} | ${outcomes.map((outcome) => counts.get(outcome) ?? 0).join(" | ")} |`);
  }
}

/** Facts are what a reply states about a file without text; `kind` is a file of which nothing but its kind is known. */
async function fetchFile(path: string, session: Awaited<ReturnType<typeof openSession>>): Promise<Outcome> {
  try {
    const answer = await fetchSource(path, { maxChars: 2_000 }, session);
    const { fields, summary } = answer;
    const fault = await findEmptyFollowUp(answer, (ref, options) => readArtifact(ref, options, session));
    if (fault !== null) return "empty follow-up";
    if (fields.error !== undefined) return "reason";
    if (fields.content !== null) return "text";
    const hasExtent = /, [^,]+\. Extracted/.test(summary.replace(/artifact: ("[^"]*"|\S+), [\d.]+ \w+/, ""));
    const isPlain = fields.warnings.every((warning) => warning.startsWith("No text is read"));
    return hasExtent || !isPlain ? "facts" : "kind";
  } catch (error) {
    console.error(error instanceof SpillwayError ? `${error.code}: ${error.message}` : error);
    return "error";
  }
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Files of the detection corpus are stored under their digest. */
async function readNames(): Promise<ReadonlyMap<string, string>> {
  const labels = await readFile(join(root, "detection", "labels.csv"), "utf8").catch(() => "");
  return new Map(
    labels.split("\n").map((line) => {
      const [file = "", , type = "", name = ""] = line.split(",");
      return [file, `${name} (${type})`] as const;
    }),
  );
}
