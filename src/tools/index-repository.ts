/** `index_repository`, `get_indexing_status` and `cancel_indexing`: start, follow and stop an indexing job. */
import { formatJobSummary, formatSkipped, listJobNotices } from "../answer/indexing-reply.ts";
import { fenceUntrusted } from "../answer/untrusted-fence.ts";
import type { JobRecord } from "../contract/indexing-job.ts";
import { makeSourceBudget } from "../fit/budget.ts";
import { measurePlainSize } from "../fit/serialized-size.ts";
import { cancelIndexingJob, getIndexingStatus, indexRepository } from "../search/search.ts";
import { jobOutput } from "./output-fields.ts";
import { folderField, projectField, readHints } from "./shared-parameters.ts";
import { defineTool, type RenderedReply, type ReplyDraft, type ToolSession } from "./tool.ts";

const jobField = {
  type: "text",
  required: true,
  about: "From an earlier reply.",
  aliases: ["job", "id"],
} as const;

export const indexRepositoryTool = defineTool({
  name: "index_repository",
  title: "Index a repository",
  about:
    "Starts indexing a folder and returns a job at once; get_indexing_status follows it. search_code indexes on its " +
    "own: this is for large folders and named projects.",
  input: {
    repo_path: { ...folderField, required: true },
    project_id: projectField,
    force_reindex: { type: "flag", about: "Read every file again, changed or not.", aliases: ["force"] },
  },
  output: jobOutput,
  hints: readHints,
  run: async (input, session) => draftJob(await indexRepository(input, session), session),
});

export const indexingStatusTool = defineTool({
  name: "get_indexing_status",
  title: "Status of an indexing job",
  about: "How far an indexing job is, what it skipped, and what went wrong.",
  input: { job_id: jobField, project_id: projectField },
  output: jobOutput,
  hints: readHints,
  run: async (input, session) => draftJob(getIndexingStatus(input, session), session),
});

export const cancelIndexingTool = defineTool({
  name: "cancel_indexing",
  title: "Cancel an indexing job",
  about: "Asks an indexing job to stop; what it has indexed stays searchable.",
  input: { job_id: jobField, project_id: projectField },
  output: jobOutput,
  hints: readHints,
  run: async (input, session) => draftJob(cancelIndexingJob(input, session), session),
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
