/** Trafilatura, from the Python that SPILLWAY_PYTHON names, for measuring only. */
import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import type { PageReading } from "./html-engines.ts";

/** Whether this Python has the package. */
export function hasTrafilatura(python: string): boolean {
  return spawnSync(python, ["-c", "import trafilatura"], { stdio: "ignore" }).status === 0;
}

/** One process reads all pages, one line of JSON each way. */
export async function openTrafilatura(python: string): Promise<(html: string, url: string) => Promise<PageReading>> {
  const child = spawn(python, ["-c", script], { stdio: ["pipe", "pipe", "inherit"] });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async (html, url) => {
    child.stdin.write(`${JSON.stringify([html, url])}\n`);
    const { value, done } = await answers.next();
    if (done) throw new Error("trafilatura ended.");
    return JSON.parse(value) as PageReading;
  };
}

const script = `
import json, logging, sys, time
import trafilatura
logging.disable(logging.CRITICAL)
for line in sys.stdin:
    html, url = json.loads(line)
    before = time.process_time()
    text = trafilatura.extract(html, url=url, output_format="markdown", include_links=True) or ""
    print(json.dumps({"text": text, "cpuMs": (time.process_time() - before) * 1000}), flush=True)
`;
