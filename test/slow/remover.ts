/** A process of another owner that keeps the bodies that writers share, and removes them again, until it is killed. */
import { randomInt } from "node:crypto";
import { defaultSettings } from "../../src/config/settings.ts";
import { openSession } from "../../src/session/session.ts";
import { fetchSource } from "../../src/verbs/fetch.ts";
import { removeArtifact } from "../../src/verbs/sweep.ts";
import { splitChunks } from "../bodies.ts";
import { makeSharedBody } from "./shared-body.ts";

const [home = "", name = ""] = process.argv.slice(2);
const session = await openSession({ owner: name, settings: { ...defaultSettings, home, run: name } });
process.stdout.write("ready\n");
// Bounded, in case it is not killed.
for (let n = 0; n < 10_000; n++) {
  const { fields } = await fetchSource("-", {}, { ...session, stdin: splitChunks(makeSharedBody(randomInt(20))) });
  await removeArtifact(fields.artifact_ref ?? "", session);
  process.stdout.write("removed\n");
}
