/** `fetch_content`: one source or several, inline up to the budget, kept under one responseId. */
import type { Answer } from "../answer/answer.ts";
import { keepResponse, type ResponseEntry } from "../artifacts/responses.ts";
import { SpillwayError } from "../errors.ts";
import type { Mode } from "../extract/handler.ts";
import { makeSourceBudget, type SourceBudget } from "../fit/budget.ts";
import { ERROR_CHARS, STORED_URL_CHARS, TITLE_CHARS } from "../system/clip-lengths.ts";
import { clip, withoutUserinfo } from "../system/safe-names.ts";
import { fetchPart, type PartFields, renderFetched } from "./fetch-tool.ts";
import { type Fetched, renderMany } from "./many-sources.ts";
import { fetchOutput } from "./output-fields.ts";
import { mapAtMost } from "./parallel.ts";
import type { Input } from "./parameters.ts";
import { fetchHints, maxCharsField, modeField, urlField } from "./shared-parameters.ts";
import { defineTool, type ReplyDraft, type ToolSession } from "./tool.ts";

/** How many are fetched at the same time, and how many one call takes. */
const atOnce = 3;
const mostUrls = 20;

const fields = {
  url: urlField,
  urls: {
    type: "list",
    about: `Several addresses, at most ${mostUrls}, instead of url; answered in order, within one budget.`,
    aliases: ["uris", "links", "sources", "paths"],
    path: true,
  },
  prompt: {
    type: "text",
    about: "A question: the passages that answer it are returned instead of the beginning.",
    aliases: ["query", "question"],
  },
  maxChars: maxCharsField,
  mode: modeField,
  noCache: { type: "flag", about: "Ask the source again, whatever is remembered of it.", aliases: ["fresh"] },
} as const;

export const fetchContent = defineTool({
  name: "fetch_content",
  title: "Fetch content",
  about:
    "Fetches one or several URLs and answers with their readable text (web pages as Markdown, PDFs, text, data). What does " +
    "not fit stays one call away: read_artifact with an artifact_ref, or get_search_content with the responseId.",
  input: fields,
  output: fetchOutput,
  hints: fetchHints,
  async run(input, session) {
    const { urls, notes } = addresses(input);
    const { maxChars, mode = "markdown", prompt = null } = input;
    const budget = makeSourceBudget(session.settings, { requested: maxChars });
    // A document too is shown inline here, not as an excerpt.
    const fetched = await fetchAll(urls, input, { ...budget, excerpt: budget.inline }, session);
    const [only] = fetched;
    if (fetched.length === 1 && only && "error" in only) throw only.error;
    const entries = fetched.map((each) => entryOf(each, mode, prompt));
    const responseId = await keepResponse(session.store, entries);
    if (fetched.length === 1 && only && "answer" in only) {
      return { budget: budget.inline, ...one(only.answer, responseId, notes) };
    }
    return {
      budget: budget.inline,
      render: (chars, _, inputNotes) => renderMany(fetched, { responseId, notes, inputNotes, chars }),
    };
  },
});

/** The addresses in order, each once, and what there is to say about them. */
function addresses({ url, urls = [] }: Input<typeof fields>): { urls: string[]; notes: string[] } {
  const given = url === undefined ? urls : [url, ...urls];
  const unique = [...new Map(given.map((each) => [URL.parse(each)?.href ?? each, each])).values()];
  if (unique.length === 0) throw usage("url is missing.", "Send url with one address, or urls with several.");
  if (unique.length > mostUrls) {
    throw usage(`urls has ${unique.length} addresses, and one call takes ${mostUrls}.`, "Send them in several calls.");
  }
  const twice = given.length - unique.length;
  const notes = twice === 0 ? [] : [`Given more than once and fetched once: ${twice} of ${given.length} addresses.`];
  return { urls: unique, notes };
}

function usage(sentence: string, hint: string): SpillwayError {
  return new SpillwayError("usage", sentence, { hint });
}

function fetchAll(
  urls: readonly string[],
  { prompt, mode = "markdown", noCache }: Input<typeof fields>,
  budget: SourceBudget,
  session: ToolSession,
): Promise<Fetched[]> {
  let done = 0;
  return mapAtMost(urls, atOnce, async (url) => {
    const fetched = await isolated(url, session, () =>
      fetchPart(url, { mode, budget, noCache }, { query: prompt }, session),
    );
    done++;
    if (urls.length > 1) session.progress?.(`Fetched ${done} of ${urls.length}`);
    return fetched;
  });
}

/** One that fails never takes the others with it; an abort takes all. */
async function isolated(
  url: string,
  { signal }: ToolSession,
  fetch: () => Promise<Answer<PartFields>>,
): Promise<Fetched> {
  try {
    return { url, answer: await fetch() };
  } catch (error) {
    signal.throwIfAborted();
    return { url, error: error instanceof Error ? error : new Error(String(error)) };
  }
}

function entryOf(fetched: Fetched, mode: Mode, query: string | null): ResponseEntry {
  if ("error" in fetched) {
    const { error } = fetched;
    const url = withoutUserinfo(fetched.url);
    const source_url = clip(url, STORED_URL_CHARS);
    return {
      source_url,
      title: clip(url, TITLE_CHARS),
      artifact_ref: null,
      mode,
      query,
      error: clip(error.message, ERROR_CHARS),
    };
  }
  const { source_url, title, artifact_ref } = fetched.answer.fields;
  return { source_url, title, artifact_ref, mode, query, error: artifact_ref === null ? "it could not be kept" : null };
}

function one(
  answer: Answer<PartFields>,
  responseId: string | null,
  notes: readonly string[],
): Pick<ReplyDraft, "render"> {
  return {
    render(chars, bound) {
      const rendered = renderFetched(answer, { chars, bound, responseId });
      return { ...rendered, notices: [...rendered.notices, ...notes] };
    },
  };
}
