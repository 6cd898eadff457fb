/** The data of the dashboard's views. Each is the owner's own; an admin may also see the sums of all owners. */

import { parseRow } from "../../../artifacts/record.ts";
import { findArtifactRow } from "../../../catalogue/artifact-rows.ts";
import { recentJobRows } from "../../../catalogue/job-rows.ts";
import { readLargest, readOutcomes } from "../../../catalogue/outcome-rows.ts";
import type { Queries } from "../../../catalogue/sql.ts";
import { readUsage, type UsageGroup, usageGroups } from "../../../catalogue/usage-rows.ts";
import type { JobRecord } from "../../../contract/indexing-job.ts";
import { SpillwayError } from "../../../errors.ts";
import type { Session } from "../../../session/session.ts";
import type { EventName } from "../../../telemetry/events.ts";
import { readRecentEvents } from "../../../telemetry/recent-events.ts";
import { dayOf } from "../../../telemetry/usage.ts";
import { readArtifact } from "../../../verbs/read.ts";
import { version } from "../../../version.ts";
import type { Caller } from "../guard/callers.ts";
import { readArtifactPage } from "./artifact-page.ts";
import type { ViewData } from "./view-data.ts";

export type DashboardContext = {
  readonly caller: Caller;
  readonly session: Session;
  readonly catalogue: Queries;
  readonly query: URLSearchParams;
  readonly body: string;
  /** The address of the MCP endpoint as clients know it. */
  readonly resource: () => string;
  readonly now: () => number;
};

const DAY_MS = 24 * 60 * 60 * 1_000;
const MAX_DAYS = 400;
const MAX_EVENTS = 200;
const MAX_JOBS = 50;
const MAX_GROUPS = 200;
const PREVIEW_CHARS = 4_000;

/** What answers each name of data. */
export const dashboardData: {
  readonly [Name in keyof ViewData]: (context: DashboardContext) => Promise<ViewData[Name]>;
} = {
  me: readMe,
  usage: readGroups,
  clients: readClients,
  decisions: readDecisions,
  overflows: readOverflows,
  jobs: readJobs,
  servers: readServers,
  artifacts: readArtifactPage,
  preview: readPreview,
};

async function readMe({ caller, session, resource }: DashboardContext) {
  const { artifacts, bytes } = await session.store.totals();
  return { owner: caller.owner, isAdmin: caller.isAdmin, version, artifacts, bytes, mcpUrl: resource() };
}

async function readGroups(context: DashboardContext) {
  const by = context.query.get("by") ?? "day";
  const group = usageGroups.find((name) => name === by);
  if (group === undefined)
    throw new SpillwayError("usage", "There is no such group.", { hint: usageGroups.join(", ") });
  return { groups: await readOwnUsage(context, group) };
}

async function readOwnUsage(context: DashboardContext, by: UsageGroup) {
  await context.session.settleUsage();
  return readUsage(context.catalogue, { by, since: readSince(context), ...whoseOf(context) });
}

/** The first day that is asked for. */
function readSince({ query, now }: DashboardContext): string {
  const days = Math.min(MAX_DAYS, Math.max(1, Math.floor(Number(query.get("days")) || 30)));
  return dayOf(now() - (days - 1) * DAY_MS);
}

/** An admin may ask for the sums of all owners. */
function whoseOf({ caller, session, query }: DashboardContext): { readonly owner?: string } {
  return caller.isAdmin && query.get("scope") === "all" ? {} : { owner: session.store.ownerId };
}

/** The usage of each client, and the largest of its replies beside what it was allowed. */
async function readClients(context: DashboardContext) {
  const groups = await readOwnUsage(context, "client");
  const query = { events: ["tool.called"], since: readSince(context), by: ["client"], ...whoseOf(context) } as const;
  const largest = new Map(
    (await readLargest(context.catalogue, query, MAX_GROUPS)).map((each) => [each.client, each] as const),
  );
  return { clients: groups.map((group) => ({ ...group, largest: largest.get(group.name) ?? null })) };
}

/** Sums of all days that are asked for, and the latest of what this machine has logged. */
async function readDecisions(context: DashboardContext) {
  const { session } = context;
  const sums = await readOwnOutcomes(context, { events: ["ingest.classified", "ingest.failed"] });
  const names = ["ingest.classified", "ingest.completed", "ingest.failed"] as const;
  const events = await readRecentEvents(session.eventFolder, { names, maxEvents: 3 * MAX_EVENTS });
  const refs = events.flatMap((event) => (event.event === "ingest.classified" ? (event.artifact_ref ?? []) : []));
  return { sums, events, names: await readNames(session, [...new Set(refs)].slice(0, MAX_EVENTS)) };
}

/** Events have no names, because a name may be private; the owner may see its own. Looking does not mark a use. */
async function readNames({ store }: Session, refs: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const ref of refs) {
    const row = await findArtifactRow(store.catalogue, store.ownerId, ref, store.run);
    if (row !== undefined) found[ref] = parseRow(row, store.owner).name;
  }
  return found;
}

async function readOwnOutcomes(
  context: DashboardContext,
  query: { readonly events: readonly EventName[]; readonly by?: UsageGroup },
) {
  await context.session.settleUsage();
  const { ownerId: owner } = context.session.store;
  return readOutcomes(context.catalogue, { ...query, owner, since: readSince(context) });
}

async function readOverflows(context: DashboardContext) {
  const names = [
    "overflow.classified",
    "overflow.recovered",
    "overflow.repeated",
    "overflow.failed",
    "overflow.skipped",
  ] as const;
  const days = await readOwnOutcomes(context, { events: names, by: "day" });
  const events = await readRecentEvents(context.session.eventFolder, { names, maxEvents: MAX_EVENTS });
  return { days, events };
}

async function readJobs({ session, catalogue }: DashboardContext) {
  const rows = await recentJobRows(catalogue, session.store.ownerId, MAX_JOBS);
  return { jobs: rows.map(({ record }) => JSON.parse(record) as JobRecord) };
}

/** The largest results of wrapped servers, by server and tool. */
async function readServers(context: DashboardContext) {
  const { session, catalogue } = context;
  await session.settleUsage();
  const { ownerId: owner } = session.store;
  const query = { owner, events: ["gateway.bounded"], since: readSince(context), by: ["kind", "reason"] } as const;
  const largest = await readLargest(catalogue, query, MAX_GROUPS);
  return {
    servers: largest.map((each) => ({
      ...{ server: each.kind, tool: each.reason, count: each.count },
      ...{ maxChars: each.largest, limitChars: each.largest_limit },
    })),
  };
}

async function readPreview({ session, body }: DashboardContext) {
  const { fields, content } = await readArtifact(readRef(body), { maxChars: PREVIEW_CHARS }, session);
  return { content: content ?? "", total_chars: fields.total_chars, truncated: fields.truncated };
}

function readRef(body: string): string {
  try {
    const { ref } = JSON.parse(body) as { readonly ref?: unknown };
    if (typeof ref === "string") return ref;
  } catch {
    // Answered below, like a body without a ref.
  }
  throw new SpillwayError("usage", "The body has no ref.", { hint: 'Send {"ref": "af_..."}.' });
}
