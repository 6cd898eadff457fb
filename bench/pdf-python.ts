/** Reads PDFs with Python packages, for measuring only. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { failedReading, MAX_CPU_SECONDS, type Reading } from "./pdf-readings.ts";

/** The Markdown of the file `path` as an expression, after an import. */
type PythonProgram = readonly [start: string, read: string];

const programs: Readonly<Record<string, PythonProgram>> = {
  pymupdf4llm: ["import pymupdf4llm", "pymupdf4llm.to_markdown(path, show_progress=False)"],
  markitdown: ["import markitdown", "markitdown.MarkItDown().convert(path).text_content"],
};

/** A row per package that the Python in SPILLWAY_PYTHON has. */
export async function readWithPythonPackages(paths: readonly string[]) {
  const python = process.env.SPILLWAY_PYTHON;
  if (python === undefined) return [];
  const rows: { readonly name: string; readonly readings: readonly Reading[] }[] = [];
  for (const [name, program] of Object.entries(programs))
    if (await canStart(python, program)) rows.push({ name, readings: await readAll(python, program, paths) });
  return rows;
}

/** What one package reads; undefined without a Python that has it. */
export async function readWithPythonPackage(
  name: "markitdown" | "pymupdf4llm",
  paths: readonly string[],
): Promise<Reading[] | undefined> {
  const [python, program] = [process.env.SPILLWAY_PYTHON, programs[name]];
  if (python === undefined || program === undefined || !(await canStart(python, program))) return undefined;
  return readAll(python, program, paths);
}

async function canStart(python: string, [start]: PythonProgram): Promise<boolean> {
  const [code] = await once(spawn(python, ["-c", start], { stdio: "ignore" }), "close");
  return code === 0;
}

/** One process reads all files. If it dies or a file takes too long, another one continues with the next file. */
async function readAll(python: string, program: PythonProgram, paths: readonly string[]): Promise<Reading[]> {
  const readings: Reading[] = [];
  while (readings.length < paths.length) {
    const count = readings.length;
    for await (const reading of readSome(python, program, paths.slice(count))) readings.push(reading);
    if (readings.length < paths.length) readings.push(failedReading("crash"));
  }
  return readings;
}

async function* readSome(python: string, program: PythonProgram, paths: readonly string[]): AsyncGenerator<Reading> {
  const child = spawn(python, ["-c", toScript(program), ...paths], { stdio: ["ignore", "ignore", "ignore", "pipe"] });
  const lines = createInterface({ input: child.stdio[3] as Readable });
  const ended = once(child, "close");
  for await (const line of lines) yield JSON.parse(line) as Reading;
  await ended;
}

/** A file that it cannot read is empty. CPU time is limited by a signal, which the package cannot catch as an error. */
const toScript = ([start, read]: PythonProgram): string => `
import json, resource, signal, sys, time
${start}
signal.signal(signal.SIGPROF, signal.SIG_DFL)
def read(path):
    try: return ${read}, None
    except Exception as error: return "", str(error)[:200]
out = open(3, "w", buffering=1)
for path in sys.argv[1:]:
    signal.setitimer(signal.ITIMER_PROF, ${MAX_CPU_SECONDS})
    before = time.process_time()
    text, failed = read(path)
    cpu = (time.process_time() - before) * 1000
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    row = {"text": text, "pages": 0, "failed": failed, "cpuMs": cpu, "processCpuMs": 0, "peakMb": peak}
    out.write(json.dumps(row) + "\\n")
`;
