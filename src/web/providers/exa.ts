/** Exa: https://docs.exa.ai/reference/search */
import { toFields, toLine } from "../../system/json-values.ts";
import { canFollow, optional, readRows, toLines, type WebProvider, type WebQuery } from "../web-provider.ts";
import { makeOldestDate } from "./dates.ts";

export const exa: WebProvider = {
  name: "exa",
  baseUrl: "https://api.exa.ai",
  keyNames: [["EXA_API_KEY"]],
  features: new Set(["freshness", "includeDomains", "excludeDomains", "category", "similarUrl", "highlights", "text"]),
  categories: ["company", "people", "research paper", "news", "personal site", "financial report"],
  maxResults: 100,

  makeRequest(query, { baseUrl, keys: [key = ""], now }) {
    const { similarUrl } = query;
    const target = similarUrl === undefined ? { query: query.query } : { url: similarUrl };
    return {
      url: new URL(`${baseUrl}/${similarUrl === undefined ? "search" : "findSimilar"}`),
      headers: { "x-api-key": key },
      json: JSON.stringify({ ...target, ...makeFilters(query, now), contents: makeContents(query) }),
    };
  },

  readResults: (answer) =>
    readRows(toFields(answer).results, (row) => {
      const highlights = toLines(row.highlights);
      const text = typeof row.text === "string" ? row.text : "";
      return {
        url: toLine(row.url),
        title: toLine(row.title),
        summary: toLine(row.summary) || highlights[0] || toLine(text.slice(0, SUMMARY_CHARS)),
        ...(highlights.length > 0 && { highlights }),
        ...(text !== "" && { text }),
        ...optional("publishedAt", row.publishedDate),
        ...optional("author", row.author),
      };
    }),
};

const SUMMARY_CHARS = 300;

function makeFilters(query: WebQuery, now: number) {
  const { numResults, freshness, includeDomains, excludeDomains, category } = query;
  return {
    numResults,
    ...(includeDomains.length > 0 && { includeDomains }),
    ...(excludeDomains.length > 0 && { excludeDomains }),
    ...(canFollow(exa, "category", query) && { category }),
    ...(freshness !== undefined && { startPublishedDate: makeOldestDate(freshness, now) }),
  };
}

const HIGHLIGHT_CHARS = 800;

/** Without highlights a result has no summary at all, so they are always asked for. */
function makeContents({ wantsText }: WebQuery) {
  return { highlights: { maxCharacters: HIGHLIGHT_CHARS }, ...(wantsText && { text: true }) };
}
