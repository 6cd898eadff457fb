/** A child whose engine misbehaves on demand: the bytes of the file are the command. */

import { readFileSync } from "node:fs";
import type { ExtractItem } from "../src/extract/handler.ts";
import { type Engine, serveEngines } from "../src/extract/pool/child-loop.ts";

const page = (index: number, text = `page ${index + 1}`): ExtractItem => ({
  segment: { index, kind: "page", label: `page ${index + 1}`, text, marks: [] },
});

/** As if the system ran out of memory: certain to end before the next page. */
function die(): never {
  process.kill(process.pid, "SIGKILL");
  for (;;);
}

type Pages = Iterable<ExtractItem> | AsyncIterable<ExtractItem>;

/** What each command does after the first page. */
const commands: Readonly<Record<string, () => Pages>> = {
  behave: () => [1, 2, 3, 4].map((index) => page(index)),
  loop: () => {
    for (;;);
  },
  regex: () => (/^(a+)+$/.test(`${"a".repeat(60)}!`) ? [] : []),
  abort: () => process.abort(),
  exit: () => process.exit(0),
  die: () => die(),
  "die once": () => die(),
  refused: () => [page(1, readFileSync("/no/such/file", "utf8"))],
  throw: () => {
    throw new Error("broken in the middle");
  },
  heap: () => {
    const hoard: unknown[] = [];
    for (;;) hoard.push(Array.from({ length: 100_000 }, (_, i) => ({ i })));
  },
  buffers: () => {
    const hoard: Buffer[] = [];
    for (;;) hoard.push(Buffer.alloc(16 * 1024 * 1024, 1));
  },
  wasm: () => {
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 65_536 });
    for (;;) {
      memory.grow(256);
      new Uint8Array(memory.buffer).fill(1);
    }
  },
  *flood() {
    for (let index = 1; ; index++) yield page(index, "x".repeat(1024 * 1024));
  },
  giant: () => [page(1, "x".repeat(64 * 1024 * 1024))],
  async *reject() {
    void Promise.reject(new Error("unhandled"));
    yield await new Promise<ExtractItem>(() => undefined);
  },
  async *stall() {
    yield await new Promise<ExtractItem>(() => undefined);
  },
  /** Each page keeps the process busy for a while; the event loop runs between pages. */
  async *plod() {
    for (let index = 1; index < 10_000; index++) {
      const until = Date.now() + 20;
      while (Date.now() < until);
      yield page(index);
    }
  },
};

const hostile: Engine = {
  async *extract(file, { from }) {
    const command = "bytes" in file.content ? Buffer.from(file.content.bytes).toString() : "behave";
    if (from === 0) yield page(0);
    yield* commands[command === "die once" && from > 0 ? "behave" : command]?.() ?? [];
  },
};

serveEngines({
  hostile: async () => hostile,
  pid: async () => ({
    async *extract() {
      yield page(0, String(process.pid));
    },
  }),
  environment: async () => ({
    async *extract() {
      yield page(0, JSON.stringify(process.env));
    },
  }),
});
