/** Bodies and folders for tests: spools in memory, a fixed detection, temporary folders that remove themselves. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Spool, spoolBytes } from "../src/acquire/spool.ts";
import type { ArtifactStore } from "../src/artifacts/artifact-store.ts";
import type { Detection } from "../src/detect/kind.ts";

/** A spool in memory. */
export function makeMemorySpool(body: string | Uint8Array, truncated = false): Spool {
  return { ...spoolBytes(Buffer.from(body)), cutBy: truncated ? "size_limit" : null };
}

/** The detection of plain UTF-8 text. */
export const plainTextDetection: Detection = {
  kind: "text",
  mediaType: "text/plain",
  charset: "utf-8",
  decidedBy: "content",
  signals: { mime: null, magic: null, extension: null, content: "utf-8", notes: [] },
};

/** The origin of an artifact, from the text that a user gave. */
export function makeOrigin(given: string) {
  return { given, identity: `file:///${given}`, name: given };
}

/** The complete bytes of an artifact, as its owner reads them. */
export async function readArtifactBytes(store: ArtifactStore, ref: string): Promise<Buffer> {
  await using artifact = await store.read(ref);
  const { content } = artifact;
  return "path" in content ? await readFile(content.path) : Buffer.from(content.bytes);
}

/** A new folder, removed when disposed. */
export async function makeTemporaryFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "spillway-test-"));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }),
  };
}

/** The bytes in chunks of this size. */
export async function* splitChunks(bytes: Uint8Array, size = 64 * 1024): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}
