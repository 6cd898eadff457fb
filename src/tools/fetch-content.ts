/** `fetch_content`: one source or several, inline up to the budget, stored under one responseId. */
import type { Answer } from "../answer/answer.ts";
import { toolAudience } from "../answer/truncation.ts";
import { keepResponse, type ResponseEntry } from "../artifacts/responses.ts";
import { SpillwayError } from "../errors.ts";
import type { LinkStyle, Mode } from "../extract/handler.ts";
import { makeSourceBudget, type SourceBudget } from "../fit/budget.ts";
import { ERROR_CHARS, STORED_URL_CHARS, TITLE_CHARS } from "../system/clip-lengths.ts";
import { redactUrl } from "../system/redact-url.ts";
import { clip } from "../system/safe-names.ts";
import { fetchSelected, renderFetched, type SelectedFields } from "./fetch-tool.ts";
import { type FetchOutcome, renderMany } from "./many-sources.ts";
import { fetchOutput } from "./output-fields.ts";
import { mapParallel } from "./parallel.ts";
import type { Input } from "./parameters.ts";
import { fetchHints, linksField, maxCharsField, modeField, pagesField, urlField } from "./shared-parameters.ts";
import { defineTool, type ReplyDraft, type ToolSession } from "./tool.ts";

/** Sources fetched at the same time, and sources per call. */
const MAX_PARALLEL_FETCHES = 3;
const MAX_URLS = 20;
/** Each one is a request to a model, so only the first sources of a call get one. */
const MAX_WRITTEN_ANSWERS = 3;

const fields = {
  url: urlField,
  urls: {
    type: "list",
    about: `Several links, at most ${MAX_URLS}, within one budget.`,
    aliases: ["uris", "sources", "paths"],
    path: true,
  },
  prompt: {
    type: "text",
    about: "A question: the passages that answer it, instead of the beginning.",
    aliases: ["query", "question"],
  },
  answer: {
    type: "flag",
    about: "With prompt: whether the model of the setting web.answer_model writes an answer above the passages.",
    isUnlisted: true,
  },
  pages: pagesField,
  maxChars: maxCharsField,
  mode: modeField,
  links: linksField,
  forceClone: { type: "flag", about: "Clone this repository, to search it with search_code." },
  noCache: { type: "flag", about: "Fetch again, even if cached.", aliases: ["fresh"] },
} as const;

export const fetchContentTool = defineTool({
  name: "fetch_content",
  title: "Fetch a web page, document or file",
  about:
    "Spillway fetches one or several links (URL) and reads files as text: a web page, website, article or online " +
    "documentation as Markdown or as HTML source, a PDF, Word docx, Excel spreadsheet, CSV, PowerPoint slides, EPUB book, " +
    "email, the list of files in a ZIP archive, a log, data. A large or long file does not fill the context: what fits is " +
    "returned, the rest stays one call away with read_artifact and the artifact_ref.",
  input: fields,
  output: fetchOutput,
  hints: fetchHints,
  isCore: true,
  async run(input, session) {
    const { urls, notes } = listAddresses(input);
    const { maxChars, mode = "markdown", links = "inline", prompt = null } = input;
    const budget = makeSourceBudget(session.settings, { requested: maxChars });
    // Documents are shown inline here, not as an excerpt.
    const outcomes = await fetchAll(urls, input, { ...budget, excerpt: budget.inline }, session);
    const [only] = outcomes;
    if (outcomes.length === 1 && only && "error" in only) throw only.error;
    const entries = outcomes.map((each) => toResponseEntry(each, { mode, links, query: prompt }));
    const responseId = await keepResponse(session.store, entries);
    if (outcomes.length === 1 && only && "answer" in only) {
      return { budget: budget.inline, ...draftOne(only.answer, responseId, notes) };
    }
    const fenceWord = session.makeFenceWord();
    return {
      budget: budget.inline,
      render: (chars, bound, inputNotes) =>
        renderMany(outcomes, { responseId, notes, inputNotes, chars, bound, fenceWord }),
    };
  },
});

/** The addresses in order, each once, and a note where some were repeated. */
function listAddresses({ url, urls = [] }: Input<typeof fields>): { urls: string[]; notes: string[] } {
  const addresses = url === undefined ? urls : [url, ...urls];
  const unique = [...new Map(addresses.map((each) => [URL.parse(each)?.href ?? each, each])).values()];
  if (unique.length === 0) throw usageError("url is missing.", "Send url with one address, or urls with several.");
  if (unique.length > MAX_URLS) {
    throw usageError(
      `urls has ${unique.length} addresses, and one call takes ${MAX_URLS}.`,
      "Send them in several calls.",
    );
  }
  const repeated = addresses.length - unique.length;
  const notes = repeated === 0 ? [] : [`Repeated addresses were fetched once: ${repeated} of ${addresses.length}.`];
  return { urls: unique, notes };
}

function usageError(sentence: string, hint: string): SpillwayError {
  return new SpillwayError("usage", sentence, { hint });
}

function fetchAll(
  urls: readonly string[],
  { prompt, answer, pages, mode = "markdown", links, noCache, forceClone }: Input<typeof fields>,
  budget: SourceBudget,
  session: ToolSession,
): Promise<FetchOutcome[]> {
  const isAnswered = answer ?? session.settings["web.answer_model"] !== null;
  let done = 0;
  return mapParallel(urls, MAX_PARALLEL_FETCHES, async (url) => {
    const outcome = await fetchIsolated(url, session, async () => {
      const selected = await fetchSelected(
        url,
        { mode, links, budget, noCache, forceClone },
        { query: prompt, pages },
        session,
      );
      const isWritten = isAnswered && prompt !== undefined && urls.indexOf(url) < MAX_WRITTEN_ANSWERS;
      if (!isWritten) return selected;
      const { addWrittenAnswer } = await import("./written-answer.ts");
      return addWrittenAnswer(selected, prompt, session);
    });
    done++;
    if (urls.length > 1) session.progress?.(`Fetched ${done} of ${urls.length}`);
    return outcome;
  });
}

/** A source that fails does not affect the others; an abort ends all. */
async function fetchIsolated(
  url: string,
  { signal }: ToolSession,
  fetch: () => Promise<Answer<SelectedFields>>,
): Promise<FetchOutcome> {
  try {
    return { url, answer: await fetch() };
  } catch (error) {
    signal.throwIfAborted();
    return { url, error: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** What was asked of every source of a call. */
type Request = { readonly mode: Mode; readonly links: LinkStyle; readonly query: string | null };

function toResponseEntry(outcome: FetchOutcome, { mode, links, query }: Request): ResponseEntry {
  const requested = { mode, ...(links !== "inline" && { links }), query };
  if ("error" in outcome) {
    const { error } = outcome;
    const url = redactUrl(outcome.url);
    const source_url = clip(url, STORED_URL_CHARS);
    return {
      source_url,
      title: clip(url, TITLE_CHARS),
      artifact_ref: null,
      ...requested,
      error: clip(error.message, ERROR_CHARS),
    };
  }
  const { source_url, title, artifact_ref } = outcome.answer.fields;
  return {
    source_url,
    title,
    artifact_ref,
    ...requested,
    error: artifact_ref === null ? "it could not be kept" : null,
  };
}

function draftOne(
  answer: Answer<SelectedFields>,
  responseId: string | null,
  notes: readonly string[],
): Pick<ReplyDraft, "render"> {
  return {
    render(chars, bound) {
      const rendered = renderFetched(answer, { chars, bound, responseId, audience: toolAudience });
      return { ...rendered, required: [...(rendered.required ?? []), ...notes] };
    },
  };
}
