/** The record of an artifact: made from its row, checked here and trusted afterwards. */
import type { FileReference } from "../acquire/file-reference.ts";
import type { SourceCut } from "../acquire/source.ts";
import type { Spool } from "../acquire/spool.ts";
import type { ArtifactRow } from "../catalogue/artifact-rows.ts";
import { type ContentKind, contentKinds, type DecidedBy, type Detection, type Signals } from "../detect/kind.ts";
import { damagedError } from "./store-errors.ts";

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
  /** For a large local file, which is not copied: the file and its state when it was hashed. */
  readonly reference?: FileReference;
};

/** The record as users see it. */
export type ArtifactRecord = StoredRecord & {
  /** The complete bytes as a local file; null if the store has no files, and in a listing without paths. */
  readonly path: string | null;
  readonly last_used_at: string;
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
    ...(spool.reference && { reference: spool.reference }),
  };
}

/** The facts as they are stored in a row; those that have a column of their own are left out. */
export function writeFacts({ sha256, size_bytes, ...facts }: ArtifactFacts): string {
  return JSON.stringify(facts);
}

/** The record of a row. */
export function parseRow(row: ArtifactRow, owner: string): StoredRecord {
  const { ref, sha256, size_bytes, run } = row;
  const created_at = new Date(row.created_at).toISOString();
  return { artifact_ref: ref, ...parseFacts(ref, row.record), sha256, size_bytes, created_at, run, owner };
}

/** What a tombstone says of a record, as far as it can be read. */
export function readSource(json: string): { readonly source_url: string; readonly media_type: string } {
  try {
    const { source_url = "the source", media_type = "application/octet-stream" } = JSON.parse(json) as StoredFacts;
    return { source_url, media_type };
  } catch {
    return { source_url: "the source", media_type: "application/octet-stream" };
  }
}

type StoredFacts = Omit<ArtifactFacts, "sha256" | "size_bytes">;

function parseFacts(ref: string, json: string): StoredFacts {
  const facts = parseObject(ref, json) as Partial<StoredFacts>;
  const sound =
    contentKinds.some((kind) => kind === facts.content_kind) &&
    [facts.media_type, facts.source_url, facts.name].every((field) => typeof field === "string");
  if (!sound) throw damagedError(ref, "its record lacks required fields");
  return facts as StoredFacts;
}

export type OldRecord = {
  readonly sha256: string;
  readonly size_bytes: number;
  readonly created_at: number;
  readonly run: string;
  /** The other facts, as a row has them. */
  readonly facts: string;
};

/** A record as version 0.1.0 stored it, in one JSON file; undefined if it is damaged. */
export function readOldRecord(json: string): OldRecord | undefined {
  try {
    const { artifact_ref, created_at, run, owner, ...facts } = JSON.parse(json) as StoredRecord;
    const { sha256, size_bytes } = facts;
    parseFacts(artifact_ref, json);
    if (!/^[0-9a-f]{64}$/.test(sha256) || !Number.isSafeInteger(size_bytes)) return undefined;
    const createdAt = Date.parse(created_at);
    if (Number.isNaN(createdAt)) return undefined;
    return { sha256, size_bytes, created_at: createdAt, run: String(run), facts: writeFacts(facts) };
  } catch {
    return undefined;
  }
}

/** A tombstone as version 0.1.0 stored it; undefined if it is damaged. */
export function readOldTombstone(json: string) {
  try {
    const old = JSON.parse(json) as { expired_at: string; reason: string; size_bytes: number };
    const expired_at = Date.parse(old.expired_at);
    if (Number.isNaN(expired_at)) return undefined;
    return { expired_at, reason: String(old.reason), size_bytes: Number(old.size_bytes), ...readSource(json) };
  } catch {
    return undefined;
  }
}

function parseObject(ref: string, json: string): object {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === "object" && value !== null) return value;
  } catch (cause) {
    throw damagedError(ref, "its record is not valid JSON", cause);
  }
  throw damagedError(ref, "its record is not an object");
}
