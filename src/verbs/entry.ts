/** Members of archives and attachments of mails: each enters as a source of its own, kept with the ref of its parent. */
import { SpillwayError } from "../errors.ts";
import { ArchiveError } from "../extract/archive/archive.ts";
import { toLocalFile } from "../extract/extract.ts";
import { findHandler } from "../extract/handlers.ts";
import { keepSource } from "../load/load-source.ts";
import type { Session } from "../session/session.ts";
import { clip } from "../system/safe-names.ts";
import { openArtifact } from "./open-artifact.ts";

/** Archives inside archives inside archives; nobody packs deeper on purpose. */
const MAX_NESTING = 8;

/** Keeps the member of this path and returns its ref. `inner.zip!/a.txt` leads into an archive inside the archive. */
export async function keepEntry(ref: string, entry: string, session: Session): Promise<string> {
  const steps = entry.split("!/");
  if (steps.length > MAX_NESTING) {
    throw new SpillwayError("selector_invalid", `The entry leads through more than ${MAX_NESTING} archives.`, {
      hint: "Read the inner archive by its own artifact_ref.",
    });
  }
  let parent = ref;
  for (const step of steps) parent = await keepMember(parent, step, session);
  return parent;
}

async function keepMember(ref: string, path: string, session: Session): Promise<string> {
  await using artifact = await openArtifact(ref, session);
  const { record, content } = artifact;
  const handler = findHandler(record.content_kind, record.media_type, session.handlers);
  if (handler.openEntry === undefined) {
    throw new SpillwayError("selector_invalid", `${clip(record.name)} has no entries.`, {
      hint: "Read it without entry: by pages, section, lines, offset or query.",
    });
  }
  try {
    const chunks = await handler.openEntry(toLocalFile({ facts: record, content }), path, session.signal);
    if (chunks === undefined) throw makeMissingError(path, record.name);
    const given = `${record.source_url}!/${path}`;
    await using kept = await keepSource({ given, identity: given }, { chunks, name: path, headers: {} }, session, ref);
    if (kept.artifact_ref !== null) return kept.artifact_ref;
    throw new SpillwayError("store_unavailable", `${clip(path)} could not be kept. ${kept.notKept}`, {
      hint: "Make room on the disk of SPILLWAY_HOME, then read the entry again.",
    });
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    throw new SpillwayError("source_unreadable", `${clip(path)} cannot be read: ${error.message}.`, {
      hint: "Read another entry, or get the file from its publisher again.",
      cause: error,
    });
  }
}

function makeMissingError(path: string, name: string): SpillwayError {
  return new SpillwayError("entry_not_found", `${clip(name)} has no entry ${clip(path)}.`, {
    hint: "Read the artifact without entry to list its entries, then give one exactly as it is listed.",
  });
}
