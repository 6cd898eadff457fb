/** Decides whether a sweep is due. The sweeper is loaded only if it is. */
import { claimSweep, findLastSweep } from "../catalogue/artifact-rows.ts";
import type { Settings } from "../config/settings.ts";
import type { ArtifactStore } from "./artifact-store.ts";
import type { Retention } from "./retention.ts";
import type { SweepReport } from "./sweeper.ts";

/** When the next sweep is due at the earliest: sweeps of other processes only make it later. */
const dueTimes = new WeakMap<ArtifactStore, number>();

/** Sweeps if the last automatic sweep, of any process, is long enough ago. */
export async function sweepWhenDue(
  store: ArtifactStore,
  settings: Retention & Pick<Settings, "artifacts.sweep_every">,
): Promise<SweepReport | undefined> {
  const { catalogue, ownerId, now } = store;
  const every = settings["artifacts.sweep_every"];
  if (now() < (dueTimes.get(store) ?? 0)) return undefined;
  const dueBefore = now() - every;
  // Nearly always it is not due, and reading takes no lock.
  const last = await findLastSweep(catalogue, ownerId);
  if (last !== null && last > dueBefore) {
    dueTimes.set(store, last + every);
    return undefined;
  }
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
