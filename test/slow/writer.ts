/** A process that keeps one artifact after the other and says which, until it is killed. */
import { randomInt } from "node:crypto";
import { defaultSettings } from "../../src/config/settings.ts";
import { openSession } from "../../src/session/session.ts";
import { fetchSource } from "../../src/verbs/fetch.ts";
import { splitChunks } from "../bodies.ts";
import { makeSharedBody } from "./shared-body.ts";

const [home = "", name = ""] = process.argv.slice(2);
const session = await openSession({ settings: { ...defaultSettings, home, run: name } });
process.stdout.write("ready\n");
// Bounded, in case it is not killed.
for (let n = 0; n < 10_000; n++) {
  // Every third body is one that other processes keep as well.
  const body =
    n % 3 === 0
      ? makeSharedBody(randomInt(20))
      : Buffer.from(`${name} ${n} ${randomInt(1e9)}\n`.repeat(1 + randomInt(4_000)));
  const { fields } = await fetchSource("-", {}, { ...session, stdin: splitChunks(body, 16 * 1024) });
  process.stdout.write(`kept ${fields.artifact_ref} ${body.length}\n`);
}
