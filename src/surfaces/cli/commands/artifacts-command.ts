/** `spillway artifacts`: lists, shows, removes and sweeps artifacts. */
import { formatCount, formatSize } from "../../../answer/phrases.ts";
import type { ListedArtifact } from "../../../artifacts/artifact-store.ts";
import { toStoreError } from "../../../artifacts/store-errors.ts";
import { nearestName } from "../../../config/suggest-name.ts";
import { SpillwayError } from "../../../errors.ts";
import type { Session } from "../../../session/session.ts";
import { PATH_CHARS } from "../../../system/clip-lengths.ts";
import { clip } from "../../../system/safe-names.ts";
import { registerSweeper, removeArtifact, type SweepResult, sweepArtifacts } from "../../../verbs/sweep.ts";
import { forEachInput, rejectExtraArguments } from "../arguments.ts";
import type { Call, Command, ExitCode } from "../command.ts";
import { printListing } from "../listing.ts";
import { allRow, readText } from "../options.ts";
import { toErrorFields, toJsonLine } from "../output.ts";
import { withProgressLine } from "../progress-line.ts";

export const artifactsCommand: Command = {
  usage: "artifacts ls|show|rm|sweep|manifest [ref|run]...",
  examples: [
    ["artifacts", "the artifacts used last"],
    ["artifacts show af_...", "the record of one"],
    ["artifacts sweep", "delete what has expired"],
  ],
  words: ["ls", "show", "rm", "sweep", "manifest"],
  about:
    "ls lists artifacts, show prints their records, rm removes them, sweep applies retention, manifest lists a run.",
  options: {
    run: { type: "string", value: "RUN", about: "With ls: only artifacts that this run used." },
    all: allRow,
  },
  details: "show and rm take refs, manifest takes a run. Reading a removed or swept ref says when it expired.",
  async run(call) {
    const [name = "ls", ...args] = call.args;
    const action = Object.hasOwn(actions, name) ? actions[name as keyof typeof actions] : undefined;
    if (action === undefined) {
      const nearest = nearestName(name, Object.keys(actions));
      throw new SpillwayError("usage", `artifacts has no action ${JSON.stringify(clip(name))}.`, {
        hint: `${nearest === undefined ? "" : `Did you mean ${nearest}? `}Actions: ${Object.keys(actions).join(", ")}.`,
      });
    }
    return action({ ...call, args }, await call.session());
  },
};

const actions = { ls, show, rm, sweep: sweepNow, manifest };

async function ls(call: Call, session: Session): Promise<ExitCode> {
  rejectExtraArguments(0, call);
  const run = readText(call, "run");
  const entries = formatEntries(
    session.store.listPages(run, { withPaths: call.json }),
    call.json ? jsonEntry : textEntry,
  );
  const count = await printListing(call, entries, () => session.store.count(run));
  if (count === 0) call.terminal.note("spillway: no artifacts are kept yet; spillway fetch keeps one.\n");
  return 0;
}

async function show(call: Call, { store }: Session): Promise<ExitCode> {
  return forEachRef("show", call, async (ref) => {
    const record = await store.find(ref);
    await call.terminal.out(call.json ? toJsonLine(record) : `${JSON.stringify(record, null, 2)}\n`);
  });
}

async function rm(call: Call, session: Session): Promise<ExitCode> {
  return forEachRef("rm", call, async (ref) => {
    await removeArtifact(ref, session);
    await call.terminal.out(call.json ? toJsonLine({ artifact_ref: ref, removed: true }) : `removed ${ref}\n`);
  });
}

/** Answers each ref. A ref that is unknown here was mistyped or is already gone. */
async function forEachRef(action: string, call: Call, answer: (ref: string) => Promise<void>): Promise<ExitCode> {
  const hint = "spillway artifacts ls lists the refs that exist.";
  if (call.args.length === 0)
    throw new SpillwayError("usage", `artifacts ${action} takes one or more artifact_refs.`, { hint });
  return forEachInput(call, async (ref) => {
    try {
      await answer(ref);
    } catch (cause) {
      if (!(cause instanceof SpillwayError) || cause.code !== "artifact_not_found") throw cause;
      throw new SpillwayError(cause.code, cause.message, { hint, cause });
    }
  });
}

async function sweepNow(call: Call, session: Session): Promise<ExitCode> {
  rejectExtraArguments(0, call);
  const { indexSweeper } = await import("../../../search/expire-indexes.ts");
  registerSweeper(indexSweeper);
  const result = await withProgressLine(call, session, sweepArtifacts);
  await call.terminal.out(call.json ? toJsonLine(sweepFields(result)) : sweepText(result));
  return 0;
}

/** A run's manifest is the list of its records, made on request. */
async function manifest(call: Call, { store }: Session): Promise<ExitCode> {
  rejectExtraArguments(1, call);
  const [run] = call.args;
  if (run === undefined) {
    throw new SpillwayError("usage", "manifest takes the name of a run.", {
      hint: "spillway events --list lists the runs.",
    });
  }
  const count = await printListing(call, formatEntries(store.listPages(run), jsonEntry), () => store.count(run));
  if (count > 0) return 0;
  throw new SpillwayError("artifact_not_found", `Run ${JSON.stringify(clip(run))} has no artifacts.`, {
    hint: "spillway artifacts ls lists all artifacts.",
  });
}

async function* formatEntries(
  pages: AsyncIterable<readonly ListedArtifact[]>,
  entry: (listed: ListedArtifact) => string,
): AsyncGenerator<readonly string[]> {
  try {
    for await (const page of pages) yield page.map(entry);
  } catch (cause) {
    throw toStoreError("read", cause);
  }
}

function jsonEntry(listed: ListedArtifact): string {
  return toJsonLine(
    "record" in listed ? listed.record : { artifact_ref: listed.ref, ...toErrorFields(listed.damaged) },
  );
}

function textEntry(listed: ListedArtifact): string {
  if (!("record" in listed)) return `${listed.ref}  ${listed.damaged.message}\n`;
  const { artifact_ref, content_kind, size_bytes, last_used_at, source_url } = listed.record;
  const size = formatSize(size_bytes).padStart(7);
  return `${artifact_ref}  ${content_kind.padEnd(14)}  ${size}  ${last_used_at}  ${clip(source_url, PATH_CHARS)}\n`;
}

function sweepFields({
  swept,
  deletedBlobs,
  deletedBytes,
  deletedLeftovers,
  deletedIndexes,
  deletedProfiles,
  deletedClones,
}: SweepResult) {
  return {
    swept: swept.map(({ ref, reason, sizeBytes }) => ({ artifact_ref: ref, reason, size_bytes: sizeBytes })),
    deleted_blobs: deletedBlobs,
    deleted_bytes: deletedBytes,
    deleted_leftovers: deletedLeftovers,
    deleted_indexes: deletedIndexes,
    deleted_profiles: deletedProfiles,
    deleted_clones: deletedClones,
  };
}

function sweepText({ swept, deletedBlobs, deletedBytes, deletedIndexes }: SweepResult): string {
  const indexesLine =
    deletedIndexes === 0
      ? ""
      : `${formatCount(deletedIndexes, "search index", "search indexes")} of missing folders deleted.\n`;
  return `${formatCount(swept.length, "artifact")} expired, ${formatCount(deletedBlobs, "blob")} deleted (${formatSize(deletedBytes)}).\n${indexesLine}`;
}
