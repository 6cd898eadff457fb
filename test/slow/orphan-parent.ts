/** A process that starts a job in a child and waits to be killed; it says the child's number when it works. */
import { createPool } from "../../src/extract/pool/pool.ts";

const [command = ""] = process.argv.slice(2);
const script = new URL("../hostile-child.ts", import.meta.url);
const limits = { memoryBytes: 256 * 1024 * 1024, cpuMs: 3_000, wallMs: 60_000, children: 1 };
const pool = createPool({ script, children: 1, limits, idleMs: 60_000 });
const file = {
  content: { bytes: Buffer.from(command) },
  sizeBytes: 1,
  kind: "pdf",
  mediaType: "",
  charset: null,
} as const;
const job = { engine: "hostile", file, options: { mode: "text", from: 0 } } as const;
for await (const _ of pool.run(job, new AbortController().signal)) process.stdout.write("working\n");
