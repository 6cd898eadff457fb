/** Lists outcomes for `spillway stats --outcomes`. */
import { formatNumber, formatSize } from "../../answer/phrases.ts";
import type { ArtifactStore } from "../../artifacts/artifact-store.ts";
import { toStoreError } from "../../artifacts/store-errors.ts";
import { type OutcomeSum, readOutcomes } from "../../catalogue/outcome-rows.ts";
import type { UsageGroup } from "../../catalogue/usage-rows.ts";
import { clip } from "../../system/safe-names.ts";
import { outcomeEvents } from "../../telemetry/usage.ts";
import { alignColumns } from "./columns.ts";
import type { Call, ExitCode } from "./command.ts";
import { printListing } from "./listing.ts";
import { toJsonLine } from "./output.ts";

type OutcomeListing = {
  readonly store: ArtifactStore;
  readonly since: string;
  /** What is printed where nothing was counted. */
  readonly emptyText: string;
  readonly by: UsageGroup | undefined;
};

export async function printOutcomes(call: Call, { store, since, emptyText, by }: OutcomeListing): Promise<ExitCode> {
  const query = { owner: store.ownerId, since, by, events: outcomeEvents };
  const sums = await readOutcomes(store.catalogue, query).catch((error: unknown) => {
    throw toStoreError("read", error);
  });
  if (call.json)
    await printListing(
      call,
      sums.map((sum) => toJsonLine(toFields(sum, by))),
    );
  else if (sums.length === 0) await call.terminal.out(emptyText);
  else await printListing(call, writeTable(sums, by));
  return 0;
}

function toFields({ name, ...sum }: OutcomeSum, by: UsageGroup | undefined): object {
  return by === undefined ? sum : { [by]: name, ...sum };
}

function writeTable(sums: readonly OutcomeSum[], by: UsageGroup | undefined): string[] {
  const head = ["event", "kind", "reason", "count", "bytes before", "bytes after"];
  const rows = sums.map(({ name, event, kind, reason, count, bytes_before, bytes_after }) => [
    ...(by === undefined ? [] : [clip(name) || "(none)"]),
    ...[event, clip(kind) || "-", clip(reason) || "-", formatNumber(count)],
    ...[bytes_before, bytes_after].map((bytes) => (bytes === 0 ? "-" : formatSize(bytes))),
  ]);
  return alignColumns([[...(by === undefined ? [] : [by]), ...head], ...rows], by === undefined ? 3 : 4);
}
