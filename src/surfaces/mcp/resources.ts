/** Artifacts as MCP resources: a bounded list, and reads within the same budget as read_artifact. */
import type { Resource } from "@modelcontextprotocol/server";
import type { ArtifactRecord } from "../../artifacts/record.ts";
import type { ClientProfile } from "../../config/clients.ts";
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
  description: "Counters and histograms of this server's searches, in the Prometheus text format.",
  mimeType: METRICS_TYPE,
};

/** The list is for choosing from; a known ref can be read without it. */
const MAX_LISTED_ARTIFACTS = 100;

/** Lists the status, the metrics, and the artifacts used last. Where resources become tools of a model, nothing is listed. */
export async function listResources(
  { store }: Session,
  { resourcesAsTools }: Pick<ClientProfile, "resourcesAsTools"> = {},
): Promise<Resource[]> {
  if (resourcesAsTools) return [];

  const listed = await store.listRecent(MAX_LISTED_ARTIFACTS);
  const records = listed.flatMap((each) => ("record" in each ? [each.record] : []));
  return [healthResource, metricsResource, ...records.map(recordResource)];
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
