/** `search_code`: the lines of code in a folder that answer a question. */
import { formatSearchBody, formatSearchSummary, searchNotices } from "../answer/search-reply.ts";
import { type Budget, lowerBudget, makeBudget } from "../fit/budget.ts";
import { CHARACTER_LIMIT } from "../fit/limits.ts";
import { type FittedSearch, findCode, type Search } from "../search/search.ts";
import { findUtilizationPercent } from "../search/search-events.ts";
import { DEFAULT_SEARCH_LIMIT, MAX_SEARCH_LIMIT } from "../search/search-input.ts";
import { searchOutput } from "./output-fields.ts";
import { folderField, projectField, readHints } from "./shared-parameters.ts";
import { defineTool, type RenderedReply, type ReplyDraft, type ToolSession } from "./tool.ts";

export const searchCodeTool = defineTool({
  name: "search_code",
  title: "Search code",
  about:
    "Finds the files of a folder of code that answer a question or define a name, best first, each shown by its best " +
    "lines. The folder is indexed on its first search. Results are whole; next_cursor gives the rest.",
  input: {
    query: {
      type: "text",
      required: true,
      blank: true,
      about: "A question, a name, a path or an error text.",
      aliases: ["q", "question", "prompt", "text", "search"],
    },
    repo_path: { ...folderField, about: "Folder to search; default: the working directory." },
    project_id: {
      ...projectField,
      about: "Project; without repo_path, all of its repositories are searched.",
    },
    repository_id: { type: "text", about: "One repository by its id, in place of repo_path." },
    file_type: { type: "text", about: "Only files with this extension, without a dot: py, d.ts." },
    directory: { type: "text", about: "Only below this folder of the repository; % matches anything." },
    limit: {
      type: "integer",
      about: `Files to show, 1 to ${MAX_SEARCH_LIMIT}; default ${DEFAULT_SEARCH_LIMIT}.`,
      example: DEFAULT_SEARCH_LIMIT,
      whole: true,
      aliases: ["top_k", "max_results"],
    },
    cursor: { type: "text", about: "next_cursor of an earlier reply, to continue there.", aliases: ["next_cursor"] },
  },
  output: searchOutput,
  hints: readHints,
  async run({ repo_path, ...input }, session) {
    const search = await findCode({ ...input, dir: repo_path }, session, { progress: session.progress });
    // Rendering may end with less room than this; with half of it, every result that could be cut is kept.
    const lowered = lowerBudget(budget, { client: session.client?.limit, turn: session.turn?.shareChars() });
    await search.keepOversized({ ...lowered, chars: Math.floor(lowered.chars / 2) });
    return draftSearch(search, lowered, session);
  },
});

/** JSON carries its own length, so the whole reply is held to the limit. */
const budget = makeBudget({ default: CHARACTER_LIMIT });

function draftSearch(search: Search, lowered: Budget, session: ToolSession): ReplyDraft {
  let lastSearch: FittedSearch | undefined;
  const fenceWord = session.makeFenceWord();
  return {
    budget,
    render(chars, bound, notes): RenderedReply {
      lastSearch = search.fit({ ...lowered, chars, bound }, { notes });
      const { reply } = lastSearch;
      return {
        summary: formatSearchSummary(reply),
        required: searchNotices(reply),
        notices: [],
        body: formatSearchBody(reply, fenceWord),
        structured: reply,
      };
    },
    onSent() {
      if (lastSearch === undefined) return;
      search.report(lastSearch);
      informClient(lastSearch, session);
    },
  };
}

/** Writes to the client's log what did not fit, and how full a reply near its limit is. */
function informClient({ reply }: FittedSearch, { inform }: ToolSession): void {
  const percent = findUtilizationPercent(reply.truncation_info);
  if (reply.truncated) inform?.("warning", searchNotices(reply)[0] ?? "");
  if (percent !== null) inform?.("info", `Search reply fills ${percent} % of its limit (utilization_pct=${percent}).`);
}
