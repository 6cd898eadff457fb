/** Keeps artifacts beside other processes that do the same, and prints how many, with how many errors. */

import { openStore } from "../src/artifacts/artifact-store.ts";
import { diskStorage } from "../src/artifacts/storage.ts";
import { makeMemorySpool, makeOrigin, plainTextDetection } from "../test/bodies.ts";

const [home = "", name = ""] = process.argv.slice(2);
const storage = diskStorage(home);
const store = openStore(storage, { owner: "bench", run: `writer-${name}` });
let [kept, errors] = [0, 0];
const before = process.cpuUsage();
for (let round = 0; round < 50; round++) {
  try {
    const body = round % 5 === 0 ? `shared ${round}` : `${name} ${round} `.repeat(2_000);
    await store.keep(makeMemorySpool(body), plainTextDetection, makeOrigin(`${name}-${round}`));
    kept++;
  } catch (error) {
    errors++;
    process.stderr.write(`${String(error)}\n`);
  }
}
const { user, system } = process.cpuUsage(before);
await storage.catalogue.close();
process.stdout.write(JSON.stringify({ kept, errors, cpuMs: (user + system) / 1_000 }));
