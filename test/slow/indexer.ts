/** A process that indexes a folder again and again, beside others that do the same, until it is killed. */
import { defaultSettings } from "../../src/config/settings.ts";
import { searchCode, startIndexJob } from "../../src/search/search.ts";
import { openSession } from "../../src/session/session.ts";

const [home = "", root = ""] = process.argv.slice(2);
const session = await openSession({ settings: { ...defaultSettings, home, "search.refresh_every": 0 }, cwd: root });
process.stdout.write("ready\n");
// Bounded, in case it is not killed.
for (let round = 0; round < 10_000; round++) {
  await (await startIndexJob({}, session)).waitForEnd();
  const { results } = await searchCode({ query: "value order" }, session);
  process.stdout.write(`found ${results.length}\n`);
}
