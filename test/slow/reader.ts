/** A process that lists and reads the artifacts of a store over and over, beside writers and a sweeper. */
import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { defaultSettings } from "../../src/config/settings.ts";
import { openSession } from "../../src/session/session.ts";
import { readArtifactBytes } from "../bodies.ts";

const [home = ""] = process.argv.slice(2);
const { store } = await openSession({ settings: { ...defaultSettings, home, run: "reader" } });
process.stdout.write("ready\n");
// Bounded, in case it is not killed. An artifact that is listed can be read, byte for byte, or the process fails.
for (let round = 0; round < 10_000; round++) {
  const { artifacts } = await store.listRecent(50);
  // On a busy machine the first writer may still be starting.
  if (artifacts.length === 0) await wait(20);
  for (const listed of artifacts) {
    if (!("record" in listed)) throw listed.damaged;
    const bytes = await readArtifactBytes(store, listed.record.artifact_ref);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    process.stdout.write("read\n");
    if (sha256 !== listed.record.sha256) throw new Error(`${listed.record.artifact_ref} has other bytes`);
  }
}
