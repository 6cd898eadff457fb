/** `spillway index`: builds or updates the search index of a folder; --watch keeps it up to date. */

import { formatCount } from "../../../answer/phrases.ts";
import { makeStorageNotice } from "../../../answer/storage-notice.ts";
import type { JobRecord } from "../../../contract/indexing-job.ts";
import { watchFolder } from "../../../search/index/folder/watch-folder.ts";
import { findOwnFolders } from "../../../search/indexing-jobs.ts";
import { startIndexJob } from "../../../search/search.ts";
import { PATH_CHARS } from "../../../system/clip-lengths.ts";
import { clip } from "../../../system/safe-names.ts";
import { checkArguments } from "../arguments.ts";
import type { Call, Command } from "../command.ts";
import { projectRow, readText, searchOptionNames } from "../options.ts";
import { toJsonLine } from "../output.ts";

export const indexCommand: Command = {
  usage: "index [dir]",
  examples: [
    ["index", "the current folder"],
    ["index ~/src/project --watch", "another folder, kept up to date"],
  ],
  about: "Indexes the source files of a folder for search. Only changed files are read again.",
  options: {
    project: projectRow,
    force: { type: "boolean", about: "Read every file again, even if it has not changed." },
    watch: { type: "boolean", about: "Keep running and index changes until stopped." },
  },
  details:
    "Respects .gitignore, .spillwayignore and a built-in ignore list. The index is in the data folder, not in the project.",
  async run(call) {
    checkArguments(1, call);
    const { status, repository_path } = await indexOnce(call, call.values.force === true);
    if (call.values.watch !== true) return status === "failed" ? 1 : 0;
    call.terminal.note(`Watching ${clip(repository_path, PATH_CHARS)}. Press Ctrl-C to stop.\n`);
    const ignoredFolders = findOwnFolders(await call.session());
    for await (const _ of watchFolder(repository_path, call.signal, { hidden: ignoredFolders }))
      await indexOnce(call, false);
    return 0;
  },
};

async function startJob(call: Call, force_reindex: boolean) {
  const project_id = readText(call, "project");
  return startIndexJob({ repo_path: call.args[0], project_id, force_reindex }, await call.session(), searchOptionNames);
}

/** The time between two updates of the progress line. */
const DRAW_INTERVAL_MS = 100;

async function indexOnce(call: Call, force: boolean): Promise<JobRecord> {
  const job = await startJob(call, force);
  const { progress } = call.terminal;
  const drawing = progress && setInterval(() => progress(progressLine(job.record())), DRAW_INTERVAL_MS);
  const record = await job.waitForEnd(call.signal).finally(() => {
    clearInterval(drawing);
    progress?.("");
  });
  call.signal.throwIfAborted();
  if (call.json) await call.terminal.out(toJsonLine(record));
  else call.terminal.note(`${resultSentence(record)}\n`);
  const { files, problem } = await job.waitForVectors();
  if (files > 0) call.terminal.note(`Embedded ${formatCount(files, "file")}.\n`);
  if (problem !== null) call.terminal.note(`Not all files are embedded; searches use words only. ${problem}\n`);
  return record;
}

const BAR_WIDTH_CHARS = 30;

/** `[=========>         ] 120 of 400 files`. */
function progressLine({ progress, files_done, files_total }: JobRecord): string {
  const filled = Math.floor(progress * BAR_WIDTH_CHARS);
  return `[${"=".repeat(filled).padEnd(BAR_WIDTH_CHARS)}] ${files_done} of ${files_total} files`;
}

function resultSentence(record: JobRecord): string {
  const { status, message, error, skipped, storage_problem, project_problem } = record;
  const skippedLines =
    status === "partial" ? skipped.slice(0, 10).map(({ path, reason }) => `\n  ${clip(path)}: ${reason}`) : [];
  const storageLine = storage_problem === null ? "" : `\n${makeStorageNotice(storage_problem)}`;
  const projectLine = project_problem === undefined ? "" : `${project_problem}\n`;
  return error === null
    ? `${projectLine}${message.replace(/\.?$/, ".")}${skippedLines.join("")}${storageLine}`
    : `${projectLine}spillway: ${error}`;
}
