/** One server of a team store, as its parent drives it: keeps and reads for any owner. */
import { createHash } from "node:crypto";
import { type ArtifactStore, openStore } from "../../src/artifacts/artifact-store.ts";
import { teamStorage } from "../../src/artifacts/team-storage.ts";
import { defaultSettings } from "../../src/config/settings.ts";
import { SpillwayError } from "../../src/errors.ts";
import { makeMemorySpool, makeOrigin, plainTextDetection, readArtifactBytes } from "../bodies.ts";

export type Operation = { readonly id: number; readonly owner: string } & (
  | { readonly keep: string }
  | { readonly read: string }
);

/** The ref of what was kept, the hash of what was read, or the code of the error. */
export type Outcome = { readonly id: number; readonly result: string };

const [json = "{}", home = ""] = process.argv.slice(2);
const storage = teamStorage(home, { ...defaultSettings, ...JSON.parse(json) });
const stores = new Map<string, ArtifactStore>();

function storeOf(owner: string): ArtifactStore {
  const store = stores.get(owner) ?? openStore(storage, { owner, run: `server-${process.pid}` });
  stores.set(owner, store);
  return store;
}

async function perform(operation: Operation): Promise<string> {
  const store = storeOf(operation.owner);
  if ("keep" in operation) {
    const kept = await store.keep(makeMemorySpool(operation.keep), plainTextDetection, makeOrigin("note.txt"));
    return kept.artifact_ref;
  }
  return createHash("sha256")
    .update(await readArtifactBytes(store, operation.read))
    .digest("hex");
}

process.on("message", async (operation: Operation) => {
  const result = await perform(operation).catch((error: unknown) =>
    error instanceof SpillwayError
      ? `${error.code}: ${error.message} (${describeCause(error)})`
      : `unknown: ${String(error)}`,
  );
  process.send?.({ id: operation.id, result } satisfies Outcome);
});
process.on("disconnect", () => process.exit());
process.send?.({ id: -1, result: "ready" } satisfies Outcome);

/** The causes of an error, the nearest first. */
function describeCause(error: Error): string {
  return error.cause instanceof Error ? `${error.cause.message}; ${describeCause(error.cause)}` : "no further cause";
}
