/** Decides whether a sweep is due. The sweeper is loaded only if it is. */
import { claimSweep, isSweepDue } from "../catalogue/artifact-rows.ts";
import type { Settings } from "../config/settings.ts";
import type { ArtifactStore } from "./artifact-store.ts";
import type { Retention } from "./retention.ts";
import type { SweepReport } from "./sweeper.ts";

/** Sweeps if the last automatic sweep, of any process, is long enough ago. */
export async function sweepWhenDue(
  store: ArtifactStore,
  settings: Retention & Pick<Settings, "artifacts.sweep_every">,
): Promise<SweepReport | undefined> {
  const { catalogue, ownerId, now } = store;
  const dueBefore = now() - settings["artifacts.sweep_every"];
  // Nearly always it is not due, and reading takes no lock.
  if (!(await isSweepDue(catalogue, ownerId, dueBefore))) return undefined;
  const { isDue, isFirst } = await catalogue.transact((queries) => claimSweep(queries, ownerId, dueBefore, now()));
  if (!isDue) return undefined;
  if (isFirst) {
    // A new store has nothing to sweep.
    await (await import("./reserve.ts")).keepReserve(store);
    return undefined;
  }
  await (await import("./backup/snapshots.ts")).takeDailySnapshot(store, now());
  return (await import("./sweeper.ts")).sweep(store, settings);
}
