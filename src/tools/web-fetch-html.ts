/** `web_fetch_html`: the source of a page as it was sent, bounded. */
import { makeSourceBudget } from "../fit/budget.ts";
import { fetchSelected, renderFetched } from "./fetch-tool.ts";
import { pageOutput } from "./output-fields.ts";
import { fetchHints, urlField } from "./shared-parameters.ts";
import { defineTool } from "./tool.ts";

export const webFetchHtmlTool = defineTool({
  name: "web_fetch_html",
  isUnlisted: true,
  title: "Fetch raw source",
  about:
    "Fetches one URL and answers with its raw source (HTML, XML, ...), not with its readable text. The complete source is " +
    'kept: continue with read_artifact, mode "raw" and the artifact_ref.',
  input: { url: { ...urlField, required: true } },
  output: pageOutput,
  hints: fetchHints,
  async run({ url }, session) {
    const budget = makeSourceBudget(session.settings);
    const answer = await fetchSelected(url, { budget, mode: "raw" }, {}, session);
    return {
      budget: budget.inline,
      render: (chars, bound) => renderFetched(answer, { chars, bound }),
    };
  },
});
