/** The data of the dashboard's views. Each is the owner's own; an admin may also see the sums of all owners. */

import { parseRow } from "../../../artifacts/record.ts";
import { findArtifactRow } from "../../../catalogue/artifact-rows.ts";
import { recentJobRows } from "../../../catalogue/job-rows.ts";
import type { Queries } from "../../../catalogue/sql.ts";
import { readUsage, type UsageGroup, usageGroups } from "../../../catalogue/usage-rows.ts";
import { SpillwayError } from "../../../errors.ts";
import type { Session } from "../../../session/session.ts";
import { readRecentEvents } from "../../../telemetry/recent-events.ts";
import { dayOf } from "../../../telemetry/usage.ts";
import { readArtifact } from "../../../verbs/read.ts";
import { version } from "../../../version.ts";
import type { Caller } from "../guard/callers.ts";
import { readArtifactPage } from "./artifact-page.ts";
import type { DataName } from "./dashboard-routes.ts";

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
const PREVIEW_CHARS = 4_000;

/** What answers each name of data. */
export const dashboardData: Readonly<Record<DataName, (context: DashboardContext) => Promise<unknown>>> = {
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

function readOwnUsage({ caller, session, catalogue, query, now }: DashboardContext, by: UsageGroup) {
  const days = Math.min(MAX_DAYS, Math.max(1, Math.floor(Number(query.get("days")) || 30)));
  const isSum = caller.isAdmin && query.get("scope") === "all";
  const since = dayOf(now() - (days - 1) * DAY_MS);
  return readUsage(catalogue, { by, since, ...(isSum ? {} : { owner: session.store.ownerId }) });
}

/** The usage of each client, and the largest of its recent replies beside what it was allowed. */
async function readClients(context: DashboardContext) {
  const calls = await readRecentEvents(context.session.eventFolder, { names: ["tool.called"], maxEvents: 5_000 });
  const groups = await readOwnUsage(context, "client");
  return {
    clients: groups.map((group) => {
      const [largest] = calls
        .filter(({ client, error }) => (client ?? "") === group.name && error === null)
        .sort((one, other) => other.text_chars - one.text_chars);
      return { ...group, largest: largest ?? null };
    }),
  };
}

async function readDecisions({ session }: DashboardContext) {
  const names = ["ingest.classified", "ingest.completed", "ingest.failed"] as const;
  const events = await readRecentEvents(session.eventFolder, { names, maxEvents: 3 * MAX_EVENTS });
  const refs = events.flatMap((event) => (event.event === "ingest.classified" ? (event.artifact_ref ?? []) : []));
  return { events, names: await readNames(session, [...new Set(refs)].slice(0, MAX_EVENTS)) };
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

async function readOverflows({ session }: DashboardContext) {
  const names = [
    "overflow.classified",
    "overflow.recovered",
    "overflow.repeated",
    "overflow.failed",
    "overflow.skipped",
  ] as const;
  return { events: await readRecentEvents(session.eventFolder, { names, maxEvents: MAX_EVENTS }) };
}

async function readJobs({ session, catalogue }: DashboardContext) {
  const rows = await recentJobRows(catalogue, session.store.ownerId, MAX_JOBS);
  return { jobs: rows.map(({ record }) => JSON.parse(record) as unknown) };
}

type ServerSizes = {
  readonly server: string;
  readonly tool: string;
  count: number;
  maxChars: number;
  limitChars: number;
};

/** The largest results of wrapped servers, by server and tool. */
async function readServers({ session }: DashboardContext) {
  const events = await readRecentEvents(session.eventFolder, { names: ["gateway.bounded"], maxEvents: 5_000 });
  const sizes = new Map<string, ServerSizes>();
  for (const { server, tool, total_chars, limit_chars } of events) {
    const key = JSON.stringify([server, tool]);
    const known = sizes.get(key) ?? { server, tool, count: 0, maxChars: 0, limitChars: limit_chars };
    sizes.set(key, { ...known, count: known.count + 1, maxChars: Math.max(known.maxChars, total_chars) });
  }
  return { servers: [...sizes.values()].sort((one, other) => other.maxChars - one.maxChars).slice(0, MAX_EVENTS) };
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
