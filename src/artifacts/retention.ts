/** Decides which artifacts expire: a pure function of last use, least recently used first. */
import type { Settings } from "../config/settings.ts";
import type { StoredRecord, Tombstone } from "./record.ts";

export type Retention = Pick<
  Settings,
  "artifacts.keep" | "artifacts.keep_per_run" | "artifacts.keep_bytes" | "artifacts.keep_tombstones"
>;

/** What the sweeper knows about an artifact. */
export type StoredArtifact = {
  readonly ref: string;
  readonly usedAt: number;
  /** Undefined if the record is damaged: then only age counts. */
  readonly record: StoredRecord | undefined;
  /** The runs that used it. */
  readonly runs: readonly string[];
};

export type Expiry = { readonly artifact: StoredArtifact; readonly reason: Tombstone["reason"] };

/** By age, then by count per run, then by the owner's bytes. What the current run used never expires. */
export function chooseExpired(
  all: readonly StoredArtifact[],
  retention: Retention,
  { now, currentRun }: { readonly now: number; readonly currentRun: string },
): Expiry[] {
  const perRun = countPerRun(all);
  let bytes = all.reduce((sum, artifact) => sum + sizeOf(artifact), 0);

  function reasonToGo({ usedAt, runs }: StoredArtifact): Tombstone["reason"] | undefined {
    if (now - usedAt > retention["artifacts.keep"]) return "age";
    const crowded = runs.filter((run) => (perRun.get(run) ?? 0) > retention["artifacts.keep_per_run"]);
    if (runs.length > 0 && crowded.length === runs.length) return "count";
    return bytes > retention["artifacts.keep_bytes"] ? "bytes" : undefined;
  }

  const expired: Expiry[] = [];
  const mayGo = all.filter(({ runs }) => !runs.includes(currentRun));
  for (const artifact of mayGo.toSorted((a, b) => a.usedAt - b.usedAt)) {
    const reason = reasonToGo(artifact);
    if (reason === undefined) continue;
    for (const run of artifact.runs) perRun.set(run, (perRun.get(run) ?? 0) - 1);
    bytes -= sizeOf(artifact);
    expired.push({ artifact, reason });
  }
  return expired;
}

export const sizeOf = ({ record }: StoredArtifact): number => record?.size_bytes ?? 0;

function countPerRun(all: readonly StoredArtifact[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const run of all.flatMap(({ runs }) => runs)) counts.set(run, (counts.get(run) ?? 0) + 1);
  return counts;
}
