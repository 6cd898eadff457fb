/** Objects in this process's memory: for tests, and for answering when no disk can be written. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chunkOf } from "../acquire/chunks.ts";
import { assertKey, type Objects } from "./objects.ts";

export function memoryObjects(now: () => number = Date.now): Objects {
  const kept = new Map<string, { bytes: Uint8Array; touchedAt: number }>();

  return {
    async put(key, from, { ifAbsent = false } = {}) {
      assertKey(key);
      const bytes = from instanceof Uint8Array ? Uint8Array.from(from) : await readFile(from.path);
      if (ifAbsent && kept.has(key)) return "exists";
      kept.set(key, { bytes, touchedAt: now() });
      return "written";
    },
    async get(key, range) {
      const found = kept.get(key);
      return found && chunkOf(found.bytes.subarray(range?.start ?? 0, range?.end));
    },
    async head(key) {
      const found = kept.get(key);
      return found && { sizeBytes: found.bytes.length, touchedAt: found.touchedAt };
    },
    async *list(prefix) {
      for (const [key, { bytes, touchedAt }] of [...kept].sort(([a], [b]) => (a < b ? -1 : 1))) {
        if (key.startsWith(prefix)) yield { key, sizeBytes: bytes.length, touchedAt };
      }
    },
    async touch(key) {
      const found = kept.get(key);
      if (found) found.touchedAt = now();
      return found !== undefined;
    },
    async move(from, to) {
      assertKey(to);
      const found = kept.get(from);
      if (found === undefined || kept.has(to)) return false;
      kept.set(to, found);
      kept.delete(from);
      return true;
    },
    async delete(key) {
      kept.delete(key);
    },
    async local(key) {
      const found = kept.get(key);
      if (found === undefined) return undefined;
      const folder = await mkdtemp(join(tmpdir(), "spillway-"));
      const path = join(folder, "object");
      await writeFile(path, found.bytes, { mode: 0o600 });
      return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
    },
  };
}
