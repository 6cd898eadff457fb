/** `search_code`: the lines of code in a folder that answer a question. */
import { formatSearchBody, formatSearchSummary, searchNotices } from "../answer/search-reply.ts";
import type { ReplyForm } from "../config/clients.ts";
import { type Budget, lowerBudget, makeBudget } from "../fit/budget.ts";
import { CHAR_TO_TOKEN_RATIO, CHARACTER_LIMIT, TRUNCATION_MARGIN } from "../fit/limits.ts";
import { type FittedSearch, findCode, type Search } from "../search/search.ts";
import { findUtilizationPercent } from "../search/search-events.ts";
import { DEFAULT_SEARCH_LIMIT, MAX_SEARCH_LIMIT } from "../search/search-input.ts";
import { surfaceOf } from "./call-tool.ts";
import { searchOutput } from "./output-fields.ts";
import { folderField, projectField, readHints } from "./shared-parameters.ts";
import { defineTool, type RenderedReply, type ReplyDraft, type ToolSession } from "./tool.ts";

export const searchCodeTool = defineTool({
  name: "search_code",
  title: "Search code in a local repository",
  about:
    "Spillway searches the source code of a local project, by meaning (semantic) and by name, in place of grep: finds where a function, class or symbol is " +
    "defined or used, how something works, or which file has an error message. Best files first, each by its best lines. The " +
    "codebase is indexed on its first search; cursor gives the next results.",
  input: {
    query: {
      type: "text",
      required: true,
      blank: true,
      about: "Question, name, path, error; quotes: exact.",
      aliases: ["q", "question", "prompt", "text", "search"],
    },
    repo_path: { ...folderField, about: "Folder; default: the working directory." },
    project_id: { ...projectField, about: "Search all repositories of a named project." },
    repository_id: { type: "text", about: "One repository by its id, in place of repo_path.", isUnlisted: true },
    file_type: { type: "text", about: "Only this extension: py, d.ts." },
    directory: { type: "text", about: "Only below this folder; % matches anything." },
    limit: {
      type: "integer",
      about: `Files, 1 to ${MAX_SEARCH_LIMIT}; default ${DEFAULT_SEARCH_LIMIT}.`,
      example: DEFAULT_SEARCH_LIMIT,
      whole: true,
      aliases: ["top_k", "max_results"],
    },
    cursor: { type: "text", about: "From an earlier reply.", aliases: ["next_cursor"] },
  },
  output: searchOutput,
  hints: readHints,
  isCore: true,
  async run({ repo_path, ...input }, session) {
    const search = await findCode({ ...input, dir: repo_path }, session, { progress: session.progress });
    // Rendering may end with less room than this; with half of it, every result that could be cut is kept.
    const lowered = lowerBudget(budget, surfaceOf(session));
    await search.keepOversized({ ...lowered, chars: Math.floor(lowered.chars / 2) });
    return draftSearch(search, lowered, session);
  },
});

/** JSON carries its own length, so the whole reply is held to the limit. */
const budget = makeBudget({ default: CHARACTER_LIMIT });

/**
 * The budget of the fields. Where a client gets less than all of them, callTool measures what it gets; then the estimate of
 * the fields, which is held to this share of a budget, decides how many results are tried.
 */
function limitFields(lowered: Budget, form: ReplyForm | undefined): Budget {
  if (form === undefined || form === "both") return lowered;
  const { chars, bound } = lowered;
  return { chars: Math.min(CHARACTER_LIMIT, Math.ceil(chars / TRUNCATION_MARGIN)), bound };
}

/** The limit that a cut reply names: of the client where it gets the text alone, else of the fields. */
function findTextLimit({ chars, bytes = Infinity, tokens }: Budget, form: ReplyForm | undefined): number | undefined {
  return form === "text" ? Math.min(chars, bytes, (tokens?.max ?? Infinity) * CHAR_TO_TOKEN_RATIO) : undefined;
}

function draftSearch(search: Search, lowered: Budget, session: ToolSession): ReplyDraft {
  let lastSearch: FittedSearch | undefined;
  const fenceWord = session.makeFenceWord();
  return {
    budget,
    render(chars, bound, notes): RenderedReply {
      lastSearch = search.fit(limitFields({ ...lowered, chars, bound }, session.client?.form), { notes });
      const { reply } = lastSearch;
      return {
        summary: formatSearchSummary(reply),
        required: searchNotices(reply, findTextLimit(lowered, session.client?.form)),
        notices: [],
        body: formatSearchBody(reply, fenceWord),
        structured: reply,
      };
    },
    onSent() {
      if (lastSearch === undefined) return;
      search.report(lastSearch);
      informClient(lastSearch, searchNotices(lastSearch.reply, findTextLimit(lowered, session.client?.form)), session);
    },
  };
}

/** Writes to the client's log what did not fit, and how full a reply near its limit is. */
function informClient({ reply }: FittedSearch, notices: readonly string[], { inform }: ToolSession): void {
  const percent = findUtilizationPercent(reply.truncation_info);
  if (reply.truncated) inform?.("warning", notices[0] ?? "");
  if (percent !== null) inform?.("info", `Search reply fills ${percent} % of its limit (utilization_pct=${percent}).`);
}
