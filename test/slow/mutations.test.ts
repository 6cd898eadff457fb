import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { memoryObjects } from "../../src/artifacts/memory-objects.ts";
import { extractText } from "../../src/extract/extract.ts";
import { pdf } from "../../src/extract/pdf/pdf-handler.ts";
import { makePdfWithPages } from "../pdf.ts";
import { soakCount } from "../soak.ts";

const documents = soakCount({ sample: 250, full: 2_000 });
const limits = { memoryBytes: 512 * 1024 * 1024, cpuMs: 10_000, wallMs: 600_000, children: 2 };
const corpus = join(
  process.env.SPILLWAY_CORPUS ?? join(import.meta.dirname, "..", "..", "..", "shared", "corpus"),
  "pdf",
);

/** Numbers that look random and are the same every time. */
function* numbersFrom(seed: number): Generator<number, never> {
  for (let state = seed >>> 0; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state;
  }
}

/** A few bytes changed, a piece cut out, doubled or moved, or the end missing. */
function mutate(original: Uint8Array, seed: number): Uint8Array {
  const numbers = numbersFrom(seed);
  const next = (below: number): number => numbers.next().value % Math.max(1, below);
  const bytes = Buffer.from(original);
  const [from, length] = [next(bytes.length), next(400)];
  const piece = bytes.subarray(from, from + length);
  switch (seed % 5) {
    case 0:
      return bytes.subarray(0, next(bytes.length));
    case 1:
      return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + length)]);
    case 2:
      return Buffer.concat([bytes.subarray(0, from), piece, piece, bytes.subarray(from)]);
    default:
      for (let changes = 1 + next(30); changes > 0; changes--) bytes[next(bytes.length)] = next(256);
      return bytes;
  }
}

async function originals(): Promise<Uint8Array[]> {
  const made = [
    makePdfWithPages(["one", "two (2)", ""]),
    makePdfWithPages(Array.from({ length: 30 }, (_, i) => `page ${i}`)),
  ];
  const names = (await readdir(corpus).catch(() => [])).slice(0, 150);
  const small = await Promise.all(names.map((name) => readFile(join(corpus, name))));
  return [...made, ...small.filter(({ length }) => length < 200_000)];
}

describe("damaged documents", () => {
  test(`${documents} of them each end in text or in a typed reason, and affect no other`, async (t) => {
    const seeds = await originals();
    const endings = new Map<string, number>();
    const unhandled: unknown[] = [];
    process.on("unhandledRejection", (reason) => unhandled.push(reason));

    async function readOne(seed: number): Promise<void> {
      const bytes = mutate(seeds[seed % seeds.length] ?? new Uint8Array(), seed);
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      const extract = await extractText({
        objects: memoryObjects(),
        owner: "alice",
        facts: {
          sha256,
          size_bytes: bytes.length,
          content_kind: "pdf",
          media_type: "application/pdf",
          charset: null,
          name: "x.pdf",
          source_url: "a.pdf",
        },
        content: { bytes },
        handler: pdf,
        mode: "text",
        enough: () => false,
        maxChars: Number.POSITIVE_INFINITY,
        limits,
        signal: new AbortController().signal,
      });
      const ending = extract.ended?.failed?.reason ?? (extract.hasText ? "text" : "nothing");
      endings.set(ending, (endings.get(ending) ?? 0) + 1);
    }

    const lanes = [0, 1].map(async (lane) => {
      for (let seed = lane; seed < documents; seed += 2) await readOne(seed);
    });
    await Promise.all(lanes);
    t.diagnostic(JSON.stringify(Object.fromEntries(endings)));
    t.diagnostic(`main process ${Math.round(process.memoryUsage.rss() / 1e6)} MB`);
    assert.equal(endings.get("nothing") ?? 0, 0);
    assert.ok((endings.get("text") ?? 0) > documents / 10);
    assert.deepEqual(unhandled, []);
    assert.ok(process.memoryUsage.rss() < 256e6);
  });
});
