/** Indexes a folder on a team store and stops in the middle, to be killed there: `team-indexer.ts SETTINGS FOLDER`. */
import { startIndexJob } from "../src/search/search.ts";
import { openSession } from "../src/session/session.ts";

const [settings = "{}", cwd = "."] = process.argv.slice(2);
let looks = 0;

/** The clock is asked for each file, after the lease was taken. */
function now(): number {
  if (++looks === 150) {
    process.stdout.write("indexing\n");
    process.kill(process.pid, "SIGSTOP");
  }
  return Date.now();
}

const session = await openSession({ settings: JSON.parse(settings), cwd, owner: "ann", now });
await (await startIndexJob({}, session)).waitForEnd();
