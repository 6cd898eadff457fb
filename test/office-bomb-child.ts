/** Reads one document in a process of its own and prints what that cost: `node test/office-bomb-child.ts TYPE PATH`. */
import { readFileSync, statSync } from "node:fs";
import { officeEngine } from "../src/extract/office/office-engine.ts";

/** As much as a fetch extracts. */
const ENOUGH_CHARS = 300_000;

const [mediaType = "", path = ""] = process.argv.slice(2);
const before = process.cpuUsage();
const file = {
  content: { path },
  sizeBytes: statSync(path).size,
  kind: "office_doc",
  mediaType,
  charset: null,
} as const;
let chars = 0;
let reason: string | null = null;
for await (const item of officeEngine.extract(file, { mode: "markdown", from: 0, password: "y" })) {
  if ("failed" in item) reason = item.failed.reason;
  if ("segment" in item) chars += item.segment.text.length;
  if (chars >= ENOUGH_CHARS) break;
}
const { user, system } = process.cpuUsage(before);
// The peak that the system reports for a process includes that of its parent.
const peakMb = Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0) / 1024;
console.log(JSON.stringify({ cpuMs: (user + system) / 1_000, peakMb, chars, reason }));
