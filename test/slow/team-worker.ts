/**
 * One process of a team store: keeps, reads, removes, sweeps or indexes until it is killed, and prints a line for each.
 * What fails because a part of the store is away is part of the test; anything else ends the process.
 */
import { createHash, randomInt } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { ObjectsError } from "../../src/artifacts/objects.ts";
import { sweep } from "../../src/artifacts/sweeper.ts";
import { CatalogueError } from "../../src/catalogue/sql.ts";
import { defaultSettings } from "../../src/config/settings.ts";
import { SpillwayError } from "../../src/errors.ts";
import { startIndexJob } from "../../src/search/search.ts";
import { openSession } from "../../src/session/session.ts";
import { fetchSource } from "../../src/verbs/fetch.ts";
import { removeArtifact } from "../../src/verbs/sweep.ts";
import { readArtifactBytes, splitChunks } from "../bodies.ts";
import { makeSharedBody } from "./shared-body.ts";

const [json = "{}", role = "", owner = "", root = ""] = process.argv.slice(2);
const given = JSON.parse(json);
const session = await openSession({ owner, settings: { ...defaultSettings, ...given, run: role }, cwd: root });
const { store } = session;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const keep = async (body: Uint8Array) =>
  (await fetchSource("-", {}, { ...session, stdin: splitChunks(body, 16 * 1024) })).fields.artifact_ref;

const steps: Readonly<Record<string, () => Promise<void>>> = {
  async writer() {
    const body =
      randomInt(3) === 0
        ? makeSharedBody(randomInt(20))
        : Buffer.from(`${randomInt(1e9)}\n`.repeat(1 + randomInt(2_000)));
    const ref = await keep(body);
    if (ref === null) return say("refused");
    say(`kept ${ref} ${createHash("sha256").update(body).digest("hex")}`);
  },
  async reader() {
    for (const listed of (await store.listRecent(20)).artifacts) {
      if (!("record" in listed)) throw listed.damaged;
      const bytes = await readArtifactBytes(store, listed.record.artifact_ref);
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      if (sha256 !== listed.record.sha256) throw new Error(`${listed.record.artifact_ref} has other bytes`);
      say("read");
    }
    await wait(20);
    say("read all");
  },
  async remover() {
    const ref = await keep(makeSharedBody(randomInt(20)));
    if (ref === null) return say("refused");
    await removeArtifact(ref, session);
    say("removed");
  },
  async sweeper() {
    await sweep(store, defaultSettings, { blobsMs: 0, leftoversMs: 3_600_000 });
    say("swept");
  },
  async indexer() {
    const outcome = await (await startIndexJob({}, session)).waitForEnd();
    say(`indexed ${outcome.status}`);
  },
};

const isAway = (error: unknown): boolean =>
  error instanceof CatalogueError ||
  error instanceof ObjectsError ||
  (error instanceof SpillwayError && ["store_unavailable", "index_failed", "artifact_expired"].includes(error.code));

say("ready");
// Bounded, in case it is not killed.
for (let n = 0; n < 100_000; n++) {
  try {
    await steps[role]?.();
  } catch (error) {
    if (!isAway(error)) throw error;
    say(`refused ${String(error)}`);
    await wait(50);
  }
}
