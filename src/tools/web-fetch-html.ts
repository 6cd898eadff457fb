/** `web_fetch_html`: the source of a page as it was sent, bounded. */
import { fetchPart, renderFetched } from "./fetch-tool.ts";
import { pageOutput } from "./output-fields.ts";
import { fetchHints, urlField } from "./shared-parameters.ts";
import { defineTool } from "./tool.ts";

export const webFetchHtml = defineTool({
  name: "web_fetch_html",
  title: "Fetch raw source",
  about:
    "Fetches one URL and answers with its raw source (HTML, XML, ...), not with its readable text. The complete source is " +
    'kept: read on with read_artifact, mode "raw" and the artifact_ref.',
  input: { url: { ...urlField, required: true } },
  output: pageOutput,
  hints: fetchHints,
  async run({ url }, session) {
    const answer = await fetchPart(url, { mode: "raw" }, {}, session);
    return {
      defaultChars: session.settings["fit.inline_chars"],
      render: (chars, bound) => renderFetched(answer, { chars, bound }),
    };
  },
});
