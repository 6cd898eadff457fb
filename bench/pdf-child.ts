/** Runs one PDF engine in a separate process: receives paths from the bench, sends the text and its cost. */
import { readFileSync } from "node:fs";
import { engines, markdownEngines } from "./pdf-engines.ts";
import type { Reading } from "./pdf-readings.ts";

const engine = [...engines, ...markdownEngines].find(({ name }) => name === process.argv[2]);
if (engine === undefined) throw new Error(`There is no engine ${process.argv[2]}.`);
const read = await engine.load();

// Some peers leave rejections unhandled on damaged files; that does not count as a failure if they continue.
process.on("unhandledRejection", () => {});
process.on("message", async (path: string) => {
  const bytes = new Uint8Array(readFileSync(path));
  const before = process.cpuUsage();
  const outcome = await read(bytes).then(
    ({ text, pages }) => ({ text, pages, failed: null }),
    (error) => ({ text: "", pages: 0, failed: String(error).slice(0, 200) }),
  );
  const { user, system } = process.cpuUsage(before);
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const processCpuMs = (userCPUTime + systemCPUTime) / 1000;
  const reading: Reading = { ...outcome, cpuMs: (user + system) / 1000, processCpuMs, peakMb: maxRSS / 1024 };
  process.send?.(reading);
});
process.send?.("ready");
