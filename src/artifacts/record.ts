/** The record of an artifact: one JSON object per ref, parsed and checked here and trusted afterwards. */
import type { SourceCut } from "../acquire/source.ts";
import type { Spool } from "../acquire/spool.ts";
import { type ContentKind, contentKinds, type DecidedBy, type Detection, type Signals } from "../detect/kind.ts";
import { SpillwayError } from "../errors.ts";

/** The stored facts. The path of the bytes and the time of last use come from the store. */
export type StoredRecord = {
  readonly artifact_ref: string;
  readonly media_type: string;
  readonly content_kind: ContentKind;
  readonly charset: string | null;
  readonly size_bytes: number;
  readonly sha256: string;
  readonly source_url: string;
  readonly name: string;
  readonly created_at: string;
  readonly run: string;
  readonly owner: string;
  readonly decided_by: DecidedBy;
  readonly signals: Signals;
  readonly source_truncated: boolean;
  /** Why it is truncated; records of older versions do not say. */
  readonly source_cut_by?: SourceCut;
  /** The URL after redirects and alternates, if it differs. */
  readonly final_url?: string;
  /** The artifact this one was made from. */
  readonly parent_ref?: string;
};

/** The record as users see it. */
export type ArtifactRecord = StoredRecord & {
  /** The complete bytes as a local file, or null if the store has no files. */
  readonly path: string | null;
  readonly last_used_at: string;
};

/** What remains of a swept artifact, so that its ref can still say why it is gone. */
export type Tombstone = {
  readonly artifact_ref: string;
  readonly expired_at: string;
  readonly reason: "age" | "count" | "bytes" | "removed";
  readonly source_url: string;
  readonly media_type: string;
  readonly size_bytes: number;
};

/** Where the bytes came from. */
export type Origin = {
  readonly given: string;
  readonly identity: string;
  readonly name: string;
  readonly finalUrl?: string | null;
  readonly parentRef?: string | null;
};

/** The facts of a body, whether or not it is kept. */
export type ArtifactFacts = Omit<StoredRecord, "artifact_ref" | "created_at" | "run" | "owner">;

export function artifactFacts(spool: Spool, detection: Detection, origin: Origin): ArtifactFacts {
  return {
    media_type: detection.mediaType,
    content_kind: detection.kind,
    charset: detection.charset,
    size_bytes: spool.sizeBytes,
    sha256: spool.sha256,
    source_url: origin.given,
    name: origin.name,
    decided_by: detection.decidedBy,
    signals: detection.signals,
    source_truncated: spool.cutBy !== null,
    ...(spool.cutBy && { source_cut_by: spool.cutBy }),
    ...(origin.finalUrl && { final_url: origin.finalUrl }),
    ...(origin.parentRef && { parent_ref: origin.parentRef }),
  };
}

export function parseRecord(ref: string, json: Uint8Array): StoredRecord {
  const record = parseObject(ref, json) as Partial<StoredRecord>;
  const sound =
    record.artifact_ref === ref &&
    typeof record.sha256 === "string" &&
    /^[0-9a-f]{64}$/.test(record.sha256) &&
    Number.isSafeInteger(record.size_bytes) &&
    contentKinds.some((kind) => kind === record.content_kind) &&
    [record.media_type, record.source_url, record.name, record.created_at].every((field) => typeof field === "string");
  if (!sound) throw damagedError(ref, "its record lacks required fields");
  return record as StoredRecord;
}

/** The record, or undefined if it is damaged. */
export function parseRecordOrUndefined(ref: string, json: Uint8Array): StoredRecord | undefined {
  try {
    return parseRecord(ref, json);
  } catch {
    return undefined;
  }
}

export function parseTombstone(ref: string, json: Uint8Array): Tombstone {
  return parseObject(ref, json) as Tombstone;
}

export function damagedError(ref: string, fact: string, cause?: unknown): SpillwayError {
  return new SpillwayError("artifact_damaged", `Artifact ${ref} cannot be used: ${fact}.`, {
    hint: "Fetch the source again; the other artifacts are not affected.",
    cause,
  });
}

function parseObject(ref: string, json: Uint8Array): object {
  try {
    const value: unknown = JSON.parse(Buffer.from(json).toString("utf8"));
    if (typeof value === "object" && value !== null) return value;
  } catch (cause) {
    throw damagedError(ref, "its record is not valid JSON", cause);
  }
  throw damagedError(ref, "its record is not an object");
}
