/** `spillway stats`: what was kept out of context and what it cost, per day, run, client or tool. */
import { formatCount, formatNumber, formatSize } from "../../../answer/phrases.ts";
import { toStoreError } from "../../../artifacts/store-errors.ts";
import { type GroupedUsage, readUsage, sumUsage, type UsageGroup, usageGroups } from "../../../catalogue/usage-rows.ts";
import { nearestName } from "../../../config/suggest-name.ts";
import { SpillwayError } from "../../../errors.ts";
import { clip } from "../../../system/safe-names.ts";
import { dayOf } from "../../../telemetry/usage.ts";
import { checkArguments } from "../arguments.ts";
import { alignColumns } from "../columns.ts";
import type { Call, Command } from "../command.ts";
import { printListing } from "../listing.ts";
import { allRow, readText } from "../options.ts";
import { toJsonLine } from "../output.ts";

const DEFAULT_DAYS = 30;
const MAX_DAYS = 400;
const DAY_MS = 24 * 60 * 60 * 1_000;

export const statsCommand: Command = {
  usage: "stats",
  examples: [
    ["stats", "the last 30 days, day by day"],
    ["stats --by tool --days 7", "which tools returned most during the last week"],
    ["stats --by client --json", "every count, a line of JSON for each client"],
    ["stats --outcomes --days 365", "how sources were treated, and what became of requests that were too large"],
  ],
  about: "Shows what was kept out of context and what reading it again cost. --json has every count.",
  options: {
    by: {
      type: "string",
      value: usageGroups.join("|"),
      about: "What a row is. Default: day; all of the time with --outcomes.",
    },
    days: { type: "string", value: "N", about: `Days up to today, 1 to ${MAX_DAYS}. Default: ${DEFAULT_DAYS}.` },
    outcomes: {
      type: "boolean",
      about: "How sources were treated and why, and what became of requests that were too large, in place of counts.",
    },
    all: allRow,
  },
  details: "Days are in UTC. Runs are kept apart for 31 days, days for 400. docs/stats.md explains each count.",
  async run(call) {
    checkArguments(0, call);
    const by = readGroup(call);
    const days = readDays(call);
    const session = await call.session();
    await session.settleUsage();
    const { store, now } = session;
    const since = dayOf(now() - (days - 1) * DAY_MS);
    if (call.values.outcomes === true) {
      const { printOutcomes } = await import("../outcome-listing.ts");
      return printOutcomes(call, {
        store,
        since,
        by: readText(call, "by") === undefined ? undefined : by,
        emptyText: emptyText(days),
      });
    }
    const groups = await readUsage(store.catalogue, { owner: store.ownerId, by, since }).catch((error: unknown) => {
      throw toStoreError("read", error);
    });
    if (call.json) {
      await printListing(
        call,
        groups.map(({ name, usage }) => toJsonLine({ [by]: name, ...usage })),
      );
      return 0;
    }
    if (groups.length === 0) await call.terminal.out(emptyText(days));
    else await printListing(call, [...writeTable(by, groups), `\n${summarize(groups)}\n`]);
    return 0;
  },
};

function readGroup(call: Call): UsageGroup {
  const text = readText(call, "by") ?? "day";
  const group = usageGroups.find((name) => name === text);
  if (group !== undefined) return group;
  const nearest = nearestName(text, usageGroups);
  throw new SpillwayError("usage", `stats cannot group by ${JSON.stringify(clip(text))}.`, {
    hint: `${nearest === undefined ? "" : `Did you mean ${nearest}? `}Groups: ${usageGroups.join(", ")}.`,
  });
}

function readDays(call: Call): number {
  const text = readText(call, "days");
  if (text === undefined) return DEFAULT_DAYS;
  const days = /^\d+$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= MAX_DAYS) return days;
  throw new SpillwayError(
    "usage",
    `--days must be a whole number from 1 to ${MAX_DAYS}, got ${JSON.stringify(clip(text))}.`,
    { hint: "For example --days 7, or leave it out." },
  );
}

const emptyText = (days: number): string =>
  `Nothing was counted in the last ${formatCount(days, "day")}. Try: spillway fetch https://example.com\n`;

const headings = ["replies", "truncated", "fetched", "chars out", "kept out", "read again", "tokens saved"];

function writeTable(by: UsageGroup, groups: readonly GroupedUsage[]): string[] {
  const rows = groups.map(({ name, usage }) => [
    name === "" ? unnamed[by] : clip(name),
    formatNumber(usage.replies),
    formatShare(usage.truncated, usage.answers),
    formatSize(usage.bytes_in),
    formatNumber(usage.chars_out),
    formatNumber(usage.chars_kept_out),
    formatNumber(usage.read_chars),
    formatNumber(usage.tokens_saved),
  ]);
  return alignColumns([[by, ...headings], ...rows]);
}

/** What rows are called whose run was folded, or that no client or tool was part of. */
const unnamed: Readonly<Record<UsageGroup, string>> = {
  day: "",
  run: "(older runs)",
  client: "(none)",
  tool: "(no tool)",
};

function summarize(groups: readonly GroupedUsage[]): string {
  const { chars_kept_out, reads, read_chars, cache_hits } = sumUsage(groups);
  return [
    `${formatCount(chars_kept_out, "character")} kept out of context;`,
    `${formatCount(reads, "read")} brought ${formatNumber(read_chars)} of them back.`,
    `The cache answered ${formatCount(cache_hits, "fetch", "fetches")}.`,
  ].join(" ");
}

const formatShare = (part: number, whole: number): string =>
  whole === 0 ? "-" : `${Math.round((100 * part) / whole)} %`;
