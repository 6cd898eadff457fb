/** Objects in memory: for tests, and for answering when no disk can be written. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { streamBytes } from "../acquire/chunks.ts";
import { assertKey, type Objects } from "./objects.ts";

export function memoryObjects(now: () => number = Date.now): Objects {
  const objects = new Map<string, { bytes: Uint8Array; touchedAt: number; stamp: string }>();
  let writes = 0;

  return {
    async put(key, from, { ifAbsent = false } = {}) {
      assertKey(key);
      const bytes = from instanceof Uint8Array ? Uint8Array.from(from) : await readFile(from.path);
      if (ifAbsent && objects.has(key)) return "exists";
      objects.set(key, { bytes, touchedAt: now(), stamp: String(++writes) });
      return "written";
    },
    async get(key, range) {
      const object = objects.get(key);
      return object && streamBytes(object.bytes.subarray(range?.start ?? 0, range?.end));
    },
    async head(key) {
      const object = objects.get(key);
      return object && { sizeBytes: object.bytes.length, touchedAt: object.touchedAt, stamp: object.stamp };
    },
    async *list(prefix) {
      for (const [key, { bytes, touchedAt, stamp }] of [...objects].sort(([a], [b]) => (a < b ? -1 : 1))) {
        if (key.startsWith(prefix)) yield { key, sizeBytes: bytes.length, touchedAt, stamp };
      }
    },
    async *folders(prefix) {
      const below = [...objects.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
      yield* new Set(below.flatMap((rest) => (rest.includes("/") ? [rest.slice(0, rest.indexOf("/"))] : [])));
    },
    async move(from, to) {
      assertKey(to);
      const object = objects.get(from);
      if (object === undefined || objects.has(to)) return false;
      objects.set(to, object);
      objects.delete(from);
      return true;
    },
    async delete(key) {
      objects.delete(key);
    },
    async local(key) {
      const object = objects.get(key);
      if (object === undefined) return undefined;
      const folder = await mkdtemp(join(tmpdir(), "spillway-"));
      const path = join(folder, "object");
      await writeFile(path, object.bytes, { mode: 0o600 });
      return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
    },
  };
}
