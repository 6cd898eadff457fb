/** One PDF engine in a process of its own: takes paths from the bench, answers with the text and what it cost. */
import { readFileSync } from "node:fs";
import { engines } from "./pdf-engines.ts";
import type { Reading } from "./pdf-readings.ts";

const engine = engines.find(({ name }) => name === process.argv[2]);
if (engine === undefined) throw new Error(`There is no engine ${process.argv[2]}.`);
const read = await engine.load();

// Some peers leave rejections unhandled on damaged files; that is counted as no failure of theirs if they go on.
process.on("unhandledRejection", () => {});
process.on("message", async (path: string) => {
  const bytes = new Uint8Array(readFileSync(path));
  const before = process.cpuUsage();
  const read_ = await read(bytes).then(
    ({ text, pages }) => ({ text, pages, failed: null }),
    (error) => ({ text: "", pages: 0, failed: String(error).slice(0, 200) }),
  );
  const { user, system } = process.cpuUsage(before);
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const processCpuMs = (userCPUTime + systemCPUTime) / 1000;
  const reading: Reading = { ...read_, cpuMs: (user + system) / 1000, processCpuMs, peakMb: maxRSS / 1024 };
  process.send?.(reading);
});
process.send?.("ready");
