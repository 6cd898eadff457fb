import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash, randomBytes, randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { defaultSettings } from "../../src/config/settings.ts";
import { openSession } from "../../src/session/session.ts";
import { makeTemporaryFolder, readArtifactBytes } from "../bodies.ts";
import { soakCount } from "../soak.ts";

const ARTIFACTS = 3_000;
const kills = soakCount({ sample: 6, full: 60 });
const program = join(import.meta.dirname, "..", "..", "src", "surfaces", "cli", "process.ts");

test(`the import of a store of 0.1.0 loses no ref when ${kills} pairs of processes are killed during it`, async (t) => {
  await using folder = await makeTemporaryFolder();
  const home = join(folder.path, "home");
  const texts = writeOldStore(home);
  let unfinished = 0;
  const startAndKill = async (): Promise<void> => {
    const child = spawn(process.execPath, [program, "artifacts", "ls"], {
      env: { ...process.env, SPILLWAY_HOME: home },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const closed = once(child, "close");
    // At any moment of the import; a process that has finished it is not killed.
    await Promise.race([closed, wait(400 + randomInt(1_200))]);
    if (child.kill("SIGKILL")) unfinished++;
    await closed;
  };
  for (let round = 0; round < kills; round++) await Promise.all([startAndKill(), startAndKill()]);
  t.diagnostic(`${unfinished} of ${2 * kills} processes were killed before they had finished`);

  await using session = await openSession({ settings: { ...defaultSettings, home, run: "check" } });
  assert.equal(await session.store.count(), ARTIFACTS);
  for (const [ref, text] of texts) assert.equal((await readArtifactBytes(session.store, ref)).toString(), text);
  assert.deepEqual(await session.store.catalogue.findDamage(), []);
});

/** Writes a store as version 0.1.0 did: a file for every record, use and blob. */
function writeOldStore(home: string): Map<string, string> {
  const owner = `user-${userInfo().uid}`;
  const root = join(home, "owners", owner);
  const texts = new Map<string, string>();
  write(join(root, "key"), randomBytes(32));
  for (let number = 0; number < ARTIFACTS; number++) {
    const text = `text ${number % 1_000}\n`;
    const sha256 = createHash("sha256").update(text).digest("hex");
    const ref = `af_${createHash("sha256").update(`ref ${number}`).digest("hex").slice(0, 32)}`;
    const signals = { mime: null, magic: null, extension: null, content: "utf-8", notes: [] };
    const kind = { media_type: "text/plain", content_kind: "text", charset: "utf-8", decided_by: "content", signals };
    const origin = { source_url: `${number}.txt`, name: `${number}.txt`, source_truncated: false };
    const record = { artifact_ref: ref, ...kind, size_bytes: text.length, sha256, ...origin };
    const made = { created_at: new Date().toISOString(), run: "old", owner };
    write(join(home, "blobs", sha256.slice(0, 2), sha256), text);
    write(join(root, "records", `${ref}.json`), JSON.stringify({ ...record, ...made }));
    write(join(root, "runs", "old", ref), "");
    texts.set(ref, text);
  }
  return texts;
}

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, content, { mode: 0o600 });
}
