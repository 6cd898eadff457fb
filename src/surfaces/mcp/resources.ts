/** Artifacts as MCP resources: a bounded list, and reads within the same budget as read_artifact. */
import type { Resource } from "@modelcontextprotocol/server";
import type { ArtifactStore, RecentPage } from "../../artifacts/artifact-store.ts";
import type { ArtifactRecord } from "../../artifacts/record.ts";
import type { UsePosition } from "../../catalogue/artifact-rows.ts";
import { CatalogueError } from "../../catalogue/sql.ts";
import type { Session } from "../../session/session.ts";
import { LISTED_TEXT_CHARS } from "../../system/clip-lengths.ts";
import { clip } from "../../system/safe-names.ts";
import { callTool, type ToolReply } from "../../tools/call-tool.ts";
import { readArtifactTool } from "../../tools/read-artifact.ts";
import type { ArtifactLink, ToolSession } from "../../tools/tool.ts";

export const HEALTH_URI = "health://status";

export const artifactTemplate = {
  uriTemplate: "artifact://{artifact_ref}{?pages,section,lines,offset,query}",
  name: "artifact",
  title: "Artifact",
  description: "The text of an artifact, within the budget of one reply. Select a part as with read_artifact.",
  mimeType: "text/plain",
};

const healthResource: Resource = {
  uri: HEALTH_URI,
  name: "status",
  title: "Health of Spillway",
  description: "Whether the settings and the store work.",
  mimeType: "application/json",
};

export const METRICS_URI = "metrics://prometheus";

/** The media type of the Prometheus text format. */
export const METRICS_TYPE = "text/plain; version=0.0.4";

const metricsResource: Resource = {
  uri: METRICS_URI,
  name: "prometheus",
  title: "Metrics of Spillway",
  description: "Counters and histograms of this server since its start, in the Prometheus text format.",
  mimeType: METRICS_TYPE,
};

const PAGE_ARTIFACTS = 100;

/** The list is for choosing from, and some clients read all of it; a known ref can be read without it. */
const MAX_LISTED_ARTIFACTS = 1_000;

export type ResourcePage = { readonly resources: Resource[]; readonly nextCursor?: string };

/**
 * The status, the metrics and the artifacts used last, a page at a time; undefined for a cursor that is not ours. An
 * artifact that is used between two pages moves to the front and is not on the second one.
 */
export async function listResources(
  { store }: Pick<Session, "store">,
  cursor?: string,
  { withMetrics = true }: { readonly withMetrics?: boolean } = {},
): Promise<ResourcePage | undefined> {
  const position = cursor === undefined ? { listed: 0 } : readCursor(cursor);
  if (position === undefined) return undefined;
  const page = await findPage(store, "ref" in position ? position : undefined);
  const records = page.artifacts.flatMap((each) => ("record" in each ? [each.record] : []));
  const fixed = cursor === undefined ? [healthResource, ...(withMetrics ? [metricsResource] : [])] : [];
  const listed = position.listed + page.artifacts.length;
  const isEnd = page.next === undefined || listed >= MAX_LISTED_ARTIFACTS;
  return {
    resources: [...fixed, ...records.map(recordResource)],
    ...(!isEnd && { nextCursor: writeCursor({ ...page.next, listed }) }),
  };
}

/** A store that cannot be read has no artifacts to choose from; the status says why. */
async function findPage(store: ArtifactStore, after: UsePosition | undefined): Promise<RecentPage> {
  try {
    return await store.listRecent(PAGE_ARTIFACTS, after);
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
    return { artifacts: [], next: undefined };
  }
}

/** The artifact that the page before ended with, and how many were listed so far. */
type Cursor = UsePosition & { readonly listed: number };

function writeCursor({ used_at, ref, listed }: Cursor): string {
  return Buffer.from(`${used_at} ${ref} ${listed}`).toString("base64url");
}

function readCursor(cursor: string): Cursor | undefined {
  const text = Buffer.from(cursor, "base64url").toString("latin1");
  const [, usedAt, ref = "", listed] = /^(\d{1,15}) (af_[0-9a-f]{32}) (\d{1,4})$/.exec(text) ?? [];
  return usedAt === undefined ? undefined : { used_at: Number(usedAt), ref, listed: Number(listed) };
}

function recordResource({
  artifact_ref,
  name,
  media_type: mediaType,
  size_bytes: sizeBytes,
}: ArtifactRecord): Resource {
  return toResource({ artifact_ref, name, mediaType, sizeBytes });
}

/** The resource of an artifact, as lists and links name it. Its name and type may be a stranger's words. */
export function toResource({ artifact_ref, name, mediaType, sizeBytes }: ArtifactLink): Resource {
  return {
    uri: `artifact://${artifact_ref}`,
    name: clip(name, LISTED_TEXT_CHARS).trim() || artifact_ref,
    mimeType: clip(mediaType, LISTED_TEXT_CHARS),
    size: sizeBytes,
  };
}

/** Reads the selected part of an artifact; undefined for a URI of another kind. */
export async function readResource(uri: string, session: ToolSession): Promise<ToolReply | undefined> {
  const address = URL.parse(uri);
  if (address?.protocol !== "artifact:") return undefined;
  const selector = Object.fromEntries(address.searchParams);
  return callTool(readArtifactTool, { ...selector, artifact_ref: address.host }, session);
}
