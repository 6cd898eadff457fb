/** Artifacts as resources of the protocol: a bounded list, and reading one within the same budget as the tool. */
import type { Resource } from "@modelcontextprotocol/server";
import type { ArtifactRecord } from "../../artifacts/record.ts";
import type { Session } from "../../session/session.ts";
import { callTool, type ToolReply } from "../../tools/call-tool.ts";
import { readArtifact } from "../../tools/read-artifact.ts";
import type { ArtifactLink, ToolSession } from "../../tools/tool.ts";

export const HEALTH_URI = "health://status";

export const artifactTemplate = {
  uriTemplate: "artifact://{artifact_ref}{?pages,section,lines,offset,query}",
  name: "artifact",
  title: "Kept source",
  description: "The text of a kept source within one reply's budget; choose a part as with read_artifact.",
  mimeType: "text/plain",
};

const healthResource: Resource = {
  uri: HEALTH_URI,
  name: "status",
  title: "Health of Spillway",
  description: "Whether settings and store are sound.",
  mimeType: "application/json",
};

export const METRICS_URI = "metrics://prometheus";

/** The text exposition format, as scrapers know it. */
export const METRICS_TYPE = "text/plain; version=0.0.4";

const metricsResource: Resource = {
  uri: METRICS_URI,
  name: "prometheus",
  title: "Metrics of Spillway",
  description: "Counters and histograms of this server's searches, as Prometheus reads them.",
  mimeType: METRICS_TYPE,
};

/** A list is for choosing from; who knows a ref needs none. */
const MAX_LISTED_ARTIFACTS = 100;

/** The status, the metrics, and the artifacts used last. */
export async function listResources({ store }: Session): Promise<Resource[]> {
  const records: ArtifactRecord[] = [];
  for await (const listed of store.list()) if ("record" in listed) records.push(listed.record);
  records.sort((a, b) => b.last_used_at.localeCompare(a.last_used_at));
  return [healthResource, metricsResource, ...records.slice(0, MAX_LISTED_ARTIFACTS).map(recordResource)];
}

function recordResource({
  artifact_ref,
  name,
  media_type: mediaType,
  size_bytes: sizeBytes,
}: ArtifactRecord): Resource {
  return toResource({ artifact_ref, name, mediaType, sizeBytes });
}

/** What names an artifact to a client. */
export function toResource({ artifact_ref, name, mediaType, sizeBytes }: ArtifactLink): Resource {
  return { uri: `artifact://${artifact_ref}`, name, mimeType: mediaType, size: sizeBytes };
}

/** The asked part of an artifact; undefined for an address of another kind. */
export async function readResource(uri: string, session: ToolSession): Promise<ToolReply | undefined> {
  const address = URL.parse(uri);
  if (address?.protocol !== "artifact:") return undefined;
  const selector = Object.fromEntries(address.searchParams);
  return callTool(readArtifact, { ...selector, artifact_ref: address.host }, session);
}
