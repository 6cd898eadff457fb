/** Generates stores of any size for the bench: rows and small blobs, without fetching anything. */
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { newBlobKey } from "../src/artifacts/keys.ts";
import { writeFacts } from "../src/artifacts/record.ts";
import { diskStorage } from "../src/artifacts/storage.ts";
import { keepArtifactRow, markArtifactUsed } from "../src/catalogue/artifact-rows.ts";
import { importBlob } from "../src/catalogue/blob-rows.ts";
import type { Queries } from "../src/catalogue/sql.ts";

/** The newest artifacts have real blobs, because commands look at them. */
export const NEW_BLOBS = 1_000;

const PER_RUN = 900;
const BATCH = 10_000;
const day = 24 * 3_600_000;

const owner = `user-${userInfo().uid}`;

function makeArtifact(index: number, size: number, expired: number, now: number) {
  const body = `artifact ${index}\n`;
  const sha256 = createHash("sha256").update(body).digest("hex");
  const usedAt =
    index < expired ? now - 20 * day - index : now - 2 * 3_600_000 - Math.floor(((size - index) / size) * 10 * day);
  const url = `https://example.org/documents/${index % 977}/report-${index}.html`;
  const facts = {
    media_type: "text/html",
    content_kind: "html" as const,
    charset: "utf-8",
    size_bytes: body.length,
    sha256,
    source_url: url,
    name: `report-${index}.html`,
    decided_by: "content" as const,
    signals: { mime: "text/html", magic: null, extension: "text/html", content: "html", notes: [] },
    source_truncated: false,
  };
  const ref = `af_${createHash("sha256").update(url).digest("hex").slice(0, 32)}`;
  const hasBlob = index < expired || index >= size - NEW_BLOBS;
  return { ref, body, sha256, usedAt, facts, hasBlob, run: `run-${Math.floor(index / PER_RUN)}` };
}

/** A store of this version; gives the refs used last. */
export async function generateStore(home: string, size: number, expired: number): Promise<string[]> {
  const { catalogue } = diskStorage(home);
  const now = Date.now();
  const newest: string[] = [];
  makeExtractFolders(home, 3);
  for (let start = 0; start < size; start += BATCH) {
    await catalogue.transact(async (queries) => {
      for (let index = start; index < Math.min(size, start + BATCH); index++) {
        const ref = await insertArtifact(queries, home, makeArtifact(index, size, expired, now));
        if (index >= size - 10) newest.push(ref);
      }
    });
  }
  await catalogue.run("UPDATE owners SET swept_at = ?", now);
  await catalogue.close();
  return newest;
}

async function insertArtifact(
  queries: Queries,
  home: string,
  artifact: ReturnType<typeof makeArtifact>,
): Promise<string> {
  const { ref, body, sha256, usedAt, facts, hasBlob, run } = artifact;
  const key = newBlobKey(sha256, "000000000000");
  if (hasBlob) writeNew(join(home, key), body);
  const sizes = { size_bytes: body.length, stored_bytes: body.length };
  const record = writeFacts(facts);
  await keepArtifactRow(queries, { owner, ref, sha256, ...sizes, created_at: usedAt, used_at: usedAt, run, record });
  await importBlob(queries, sha256, key, body.length, usedAt);
  await markArtifactUsed(queries, { owner, run, ref, usedAt });
  return ref;
}

/** A store of version 0.1.0, whose records and uses are files. */
export function generateOldStore(home: string, size: number, expired: number): string[] {
  const now = Date.now();
  const newest: string[] = [];
  const root = join(home, "owners", owner);
  writeNew(join(root, "key"), randomBytes(32));
  writeNew(join(root, "swept"), "");
  makeExtractFolders(home, 2);
  for (let index = 0; index < size; index++) {
    const { ref, body, sha256, usedAt, facts, run } = makeArtifact(index, size, expired, now);
    const record = { artifact_ref: ref, ...facts, created_at: new Date(usedAt).toISOString(), run, owner };
    const files = {
      [join(root, "records", `${ref}.json`)]: `${JSON.stringify(record, null, 2)}\n`,
      [join(root, "runs", run, ref)]: "",
      [join(home, "blobs", sha256.slice(0, 2), sha256)]: body,
    };
    for (const [path, content] of Object.entries(files)) {
      writeNew(path, content);
      utimesSync(path, usedAt / 1_000, usedAt / 1_000);
    }
    if (index >= size - 10) newest.push(ref);
  }
  return newest;
}

/** A store of this size has every folder of extracts, named by so many digits. */
function makeExtractFolders(home: string, digits: number): void {
  for (let number = 0; number < 16 ** digits; number++) {
    const name = number.toString(16).padStart(digits, "0");
    mkdirSync(join(home, "extracts", name), { recursive: true, mode: 0o700 });
  }
}

const madeFolders = new Set<string>();

function writeNew(path: string, content: string | Uint8Array): void {
  const folder = dirname(path);
  if (!madeFolders.has(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  madeFolders.add(folder);
  writeFileSync(path, content, { mode: 0o600 });
}
