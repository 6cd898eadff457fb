/** Brave Search: https://api-dashboard.search.brave.com/app/documentation/web-search/get-started */
import { toFields, toLine, toList } from "../../system/json-values.ts";
import { optional, readRows, toPlainLine, type WebProvider } from "../web-provider.ts";
import { addSites } from "./site-operators.ts";

const codes = { day: "pd", week: "pw", month: "pm", year: "py" } as const;

export const brave: WebProvider = {
  name: "brave",
  baseUrl: "https://api.search.brave.com",
  keyNames: [["BRAVE_SEARCH_API_KEY", "BRAVE_API_KEY"]],
  features: new Set(["freshness", "includeDomains", "excludeDomains", "highlights"]),
  maxResults: 20,

  makeRequest(query, { baseUrl, keys: [key = ""] }) {
    const url = new URL(`${baseUrl}/res/v1/web/search`);
    url.searchParams.set("q", addSites(query));
    url.searchParams.set("count", String(query.numResults));
    url.searchParams.set("text_decorations", "false");
    if (query.wantsHighlights) url.searchParams.set("extra_snippets", "true");
    if (query.freshness !== undefined) url.searchParams.set("freshness", codes[query.freshness]);
    return { url, headers: { "x-subscription-token": key } };
  },

  readResults: (answer) =>
    readRows(toFields(toFields(answer).web).results, (row) => {
      const highlights = toList(row.extra_snippets)
        .map(toPlainLine)
        .filter((line) => line !== "");
      return {
        url: toLine(row.url),
        title: toPlainLine(row.title),
        summary: toPlainLine(row.description),
        ...(highlights.length > 0 && { highlights }),
        ...optional("publishedAt", row.page_age),
      };
    }),
};
