/** Members of archives and attachments of mails: each enters as a source of its own, kept with the ref of its parent. */
import { nearestName } from "../config/suggest-name.ts";
import { SpillwayError } from "../errors.ts";
import { FailureError } from "../extract/failure-error.ts";
import { findHandler } from "../extract/handlers.ts";
import { readChildLimits } from "../extract/pool/pools.ts";
import { toLocalFile } from "../extract/run-handler.ts";
import { keepSource } from "../load/load-source.ts";
import type { Session } from "../session/session.ts";
import { clip } from "../system/safe-names.ts";
import { openArtifact } from "./open-artifact.ts";

/** Archives inside archives inside archives; nothing is packed deeper on purpose. */
const MAX_NESTING = 8;

/** Keeps the member of this path and returns its ref. `inner.zip!/a.txt` leads into an archive inside the archive. */
export async function keepEntry(ref: string, entry: string, session: Session): Promise<string> {
  const steps = entry.split("!/");
  if (steps.length > MAX_NESTING) {
    throw new SpillwayError("selector_invalid", `The entry leads through more than ${MAX_NESTING} archives.`, {
      hint: `Read the first ${MAX_NESTING} of them as entry; the reply names the artifact_ref of the innermost. Read on from there.`,
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
    const limits = readChildLimits(session.settings);
    const opened = await handler.openEntry(toLocalFile({ facts: record, content }), path, session.signal, limits);
    if ("paths" in opened) throw makeMissingError(path, record.name, opened.paths);
    const given = `${record.source_url}!/${path}`;
    const member = { chunks: opened.chunks, name: path, headers: {} };
    await using kept = await keepSource({ given, identity: given }, member, session, ref);
    if (kept.artifact_ref !== null) return kept.artifact_ref;
    throw new SpillwayError("store_unavailable", `${clip(path)} could not be kept. ${kept.notKept}`, {
      hint: "Make room on the disk of SPILLWAY_HOME, then read the entry again.",
    });
  } catch (error) {
    throw error instanceof FailureError ? makeUnreadableError(path, error) : error;
  }
}

function makeUnreadableError(path: string, cause: FailureError): SpillwayError {
  const hint =
    cause.reason === "encrypted"
      ? "Entries are not decrypted, because they would be kept. Unpack it with its password, then fetch the file."
      : "Read another entry, or get the file from its publisher again.";
  return new SpillwayError("source_unreadable", `${clip(path)} cannot be read: ${clip(cause.message)}.`, {
    hint,
    cause,
  });
}

function makeMissingError(path: string, name: string, paths: readonly string[]): SpillwayError {
  const folder = `${path.replace(/\/+$/, "")}/`;
  const inFolder = paths.filter((candidate) => candidate.startsWith(folder));
  const isFolder = inFolder.length > 0;
  const sentence = isFolder
    ? `${clip(path)} is a folder of ${clip(name)}.`
    : `${clip(name)} has no entry ${clip(path)}.`;
  const suggestions = isFolder ? inFolder.slice(0, MAX_SUGGESTIONS) : findSimilar(path, paths);
  return new SpillwayError("entry_not_found", sentence, { hint: makeMissingHint(suggestions) });
}

const MAX_SUGGESTIONS = 3;
const MAX_COMPARED_PATHS = 5_000;
const MAX_COMPARED_CHARS = 200;

function makeMissingHint(suggestions: readonly string[]): string {
  const list = "Read the artifact without entry to list its entries, then give one exactly as it is listed.";
  if (suggestions.length === 0) return list;
  return `Try entry=${suggestions.map((path) => clip(path)).join(" or entry=")}. ${list}`;
}

/** Paths that end in the same name, else the path that is spelled alike. */
function findSimilar(path: string, paths: readonly string[]): string[] {
  const name = toLastName(path);
  const sameName = name === "" ? [] : paths.filter((candidate) => toLastName(candidate) === name);
  if (sameName.length > 0) return sameName.slice(0, MAX_SUGGESTIONS);
  const compared = paths.slice(0, MAX_COMPARED_PATHS).filter(({ length }) => length <= MAX_COMPARED_CHARS);
  const nearest = nearestName(path.slice(0, MAX_COMPARED_CHARS), compared);
  return nearest === undefined ? [] : [nearest];
}

const toLastName = (path: string): string => path.replace(/^.*\//, "").toLowerCase();
