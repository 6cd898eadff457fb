/** Which artifacts have to go: decided from last use, purely, least recently used first. */
import type { Settings } from "../config/settings.ts";
import type { StoredRecord, Tombstone } from "./record.ts";

export type Retention = Pick<
  Settings,
  "artifacts.keep" | "artifacts.keep_per_run" | "artifacts.keep_bytes" | "artifacts.keep_tombstones"
>;

/** An artifact as the sweeper sees it. */
export type Held = {
  readonly ref: string;
  readonly usedAt: number;
  /** Undefined where the record is damaged: it can only age. */
  readonly record: StoredRecord | undefined;
  /** The runs that used it. */
  readonly runs: readonly string[];
};

export type Expired = { readonly held: Held; readonly reason: Tombstone["reason"] };

/** By age, then by what each run may keep, then by the owner's bytes. What the current run used never goes. */
export function chooseExpired(
  all: readonly Held[],
  retention: Retention,
  { now, currentRun }: { readonly now: number; readonly currentRun: string },
): Expired[] {
  const perRun = countPerRun(all);
  let bytes = all.reduce((sum, held) => sum + sizeOf(held), 0);

  function reasonToGo({ usedAt, runs }: Held): Tombstone["reason"] | undefined {
    if (now - usedAt > retention["artifacts.keep"]) return "age";
    const crowded = runs.filter((run) => (perRun.get(run) ?? 0) > retention["artifacts.keep_per_run"]);
    if (runs.length > 0 && crowded.length === runs.length) return "count";
    return bytes > retention["artifacts.keep_bytes"] ? "bytes" : undefined;
  }

  const expired: Expired[] = [];
  const mayGo = all.filter(({ runs }) => !runs.includes(currentRun));
  for (const held of mayGo.toSorted((a, b) => a.usedAt - b.usedAt)) {
    const reason = reasonToGo(held);
    if (reason === undefined) continue;
    for (const run of held.runs) perRun.set(run, (perRun.get(run) ?? 0) - 1);
    bytes -= sizeOf(held);
    expired.push({ held, reason });
  }
  return expired;
}

export const sizeOf = ({ record }: Held): number => record?.size_bytes ?? 0;

function countPerRun(all: readonly Held[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const run of all.flatMap(({ runs }) => runs)) counts.set(run, (counts.get(run) ?? 0) + 1);
  return counts;
}
