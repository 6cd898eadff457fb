/** A process that keeps a number of artifacts, some of which others keep too, and prints a line for each. */
import { defaultSettings } from "../../src/config/settings.ts";
import { openSession } from "../../src/session/session.ts";
import { fetchSource } from "../../src/verbs/fetch.ts";
import { splitChunks } from "../bodies.ts";
import { makeSharedBody } from "./shared-body.ts";

const [home = "", name = "", count = "0"] = process.argv.slice(2);
await using session = await openSession({ settings: { ...defaultSettings, home, run: name } });
for (let n = 0; n < Number(count); n++) {
  const body = n % 3 === 0 ? makeSharedBody(n % 20) : Buffer.from(`${name} ${n}\n`.repeat(1 + n * 50));
  const { fields } = await fetchSource("-", {}, { ...session, stdin: splitChunks(body, 16 * 1024) });
  process.stdout.write(`${fields.artifact_ref} ${body.length} ${fields.warnings?.join(" ") ?? ""}\n`);
}
