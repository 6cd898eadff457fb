/** A process that sweeps the store over and over while others write to it. */
import { sweep } from "../../src/artifacts/sweeper.ts";
import { defaultSettings } from "../../src/config/settings.ts";
import { openSession } from "../../src/session/session.ts";

const [home = ""] = process.argv.slice(2);
const session = await openSession({ settings: { ...defaultSettings, home, run: "sweeper" } });
process.stdout.write("ready\n");
// No grace for blobs: bytes without a record go at once, though their keeper may be about to write it.
const grace = { blobsMs: 0, leftoversMs: 3_600_000 };
for (let n = 0; n < 10_000; n++) {
  await sweep(session.store, defaultSettings, grace);
  process.stdout.write("swept\n");
}
