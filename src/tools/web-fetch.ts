/** `web_fetch`: one source; text and pages as they are, documents as a summary, an excerpt and a ref. */
import { makeSourceBudget } from "../fit/budget.ts";
import { fetchSelected, renderFetched } from "./fetch-tool.ts";
import { pageOutput } from "./output-fields.ts";
import { fetchHints, pagesField, urlField } from "./shared-parameters.ts";
import { defineTool } from "./tool.ts";

export const webFetchTool = defineTool({
  name: "web_fetch",
  isUnlisted: true,
  title: "Fetch a page or document",
  about:
    "Fetches one URL and answers with its text. For a document (PDF, ...) it shows a summary line and an excerpt; ask for " +
    "pages, or ask a question, to see other parts. The complete source is kept: continue with read_artifact and the artifact_ref.",
  input: {
    url: { ...urlField, required: true },
    query: {
      type: "text",
      about: "A question: the passages that answer it are returned.",
      aliases: ["prompt", "question"],
    },
    pages: pagesField,
  },
  output: pageOutput,
  hints: fetchHints,
  async run({ url, query, pages }, session) {
    const budget = makeSourceBudget(session.settings);
    const answer = await fetchSelected(url, { budget }, { query, pages }, session);
    return {
      budget: budget.inline,
      render: (chars, bound) => renderFetched(answer, { chars, bound }),
    };
  },
});
