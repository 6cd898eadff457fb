/** `index_repository`: starts, follows and stops an indexing job. `get_indexing_status` and `cancel_indexing` are parts of it. */
import { formatJobSummary, formatSkipped, listJobNotices } from "../answer/indexing-reply.ts";
import { fenceUntrusted } from "../answer/untrusted-fence.ts";
import type { JobRecord } from "../contract/indexing-job.ts";
import { SpillwayError } from "../errors.ts";
import { makeSourceBudget } from "../fit/budget.ts";
import { measurePlainSize } from "../fit/serialized-size.ts";
import { cancelIndexingJob, getIndexingStatus, indexRepository } from "../search/search.ts";
import { jobOutput } from "./output-fields.ts";
import type { Input } from "./parameters.ts";
import { folderField, projectField, readHints } from "./shared-parameters.ts";
import { defineTool, type RenderedReply, type ReplyDraft, type ToolSession } from "./tool.ts";

const jobField = { type: "text", about: "From an earlier reply.", aliases: ["job", "id"] } as const;

const actions = ["start", "status", "cancel"] as const;

const fields = {
  action: { type: "choice", choices: actions, about: "start (default), or status or cancel of a job_id." },
  repo_path: { ...folderField, about: "Folder to index." },
  job_id: jobField,
  project_id: projectField,
  force_reindex: { type: "flag", about: "Read every file again, changed or not.", aliases: ["force", "reindex"] },
} as const;

export const indexRepositoryTool = defineTool({
  name: "index_repository",
  title: "Index a repository for search",
  about:
    "Build, refresh or reindex the search index of a folder or project as a background job; see the status and progress " +
    "of an indexing job, or cancel (stop) it. search_code indexes on its own: this is for large repositories.",
  input: fields,
  output: jobOutput,
  hints: readHints,
  run: async (input, session) => draftJob(await runAction(input, session), session),
});

/** A job_id without an action asks for its status. */
async function runAction(input: Input<typeof fields>, session: ToolSession): Promise<JobRecord> {
  const { job_id, repo_path, action = job_id === undefined ? "start" : "status" } = input;
  if (action === "start") {
    if (repo_path === undefined) throw missingError("repo_path", "Send repo_path: the folder to index.");
    return indexRepository({ ...input, repo_path }, session);
  }
  if (job_id === undefined) throw missingError("job_id", "Send the job_id that starting the job returned.");
  return (action === "cancel" ? cancelIndexingJob : getIndexingStatus)({ ...input, job_id }, session);
}

function missingError(name: string, hint: string): SpillwayError {
  return new SpillwayError("usage", `${name} is missing.`, { hint });
}

const jobFields = { job_id: { ...jobField, required: true }, project_id: projectField } as const;

export const indexingStatusTool = defineTool({
  name: "get_indexing_status",
  isUnlisted: true,
  title: "Status of an indexing job",
  about: "How far an indexing job is, what it skipped, and what went wrong.",
  input: jobFields,
  output: jobOutput,
  hints: readHints,
  run: async (input, session) => draftJob(await getIndexingStatus(input, session), session),
});

export const cancelIndexingTool = defineTool({
  name: "cancel_indexing",
  isUnlisted: true,
  title: "Cancel an indexing job",
  about: "Asks an indexing job to stop; what it has indexed stays searchable.",
  input: jobFields,
  output: jobOutput,
  hints: readHints,
  run: async (input, session) => draftJob(await cancelIndexingJob(input, session), session),
});

function draftJob(record: JobRecord, { settings, makeFenceWord }: ToolSession): ReplyDraft {
  const fenceWord = makeFenceWord();
  return { budget: makeSourceBudget(settings).excerpt, render: (chars) => renderJob(record, chars, fenceWord) };
}

/** Skipped files are listed as far as there is room; the count is of all. */
function renderJob(record: JobRecord, chars: number, fenceWord: string): RenderedReply {
  const skipped: JobRecord["skipped"][number][] = [];
  let room = chars;
  for (const entry of record.skipped) {
    room -= measurePlainSize(entry);
    if (room < 0) break;
    skipped.push(entry);
  }
  return {
    summary: formatJobSummary(record),
    required: listJobNotices(record),
    notices: [],
    body: skipped.length === 0 ? "" : fenceUntrusted(formatSkipped(skipped, record.files_skipped), fenceWord),
    structured: { ...record, skipped },
  };
}
