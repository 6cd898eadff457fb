/** Kagi: https://help.kagi.com/kagi/api/search.html, version 1. */
import { toFields, toLine } from "../../system/json-values.ts";
import { canFollow, optional, readRows, toPlainLine, type WebProvider } from "../web-provider.ts";
import { makeOldestDate } from "./dates.ts";
import { addSites } from "./site-operators.ts";

export const kagi: WebProvider = {
  name: "kagi",
  baseUrl: "https://kagi.com",
  keyNames: [["KAGI_API_KEY"]],
  features: new Set(["freshness", "includeDomains", "excludeDomains", "category"]),
  categories: ["search", "news"],
  maxResults: 40,

  makeRequest(query, { baseUrl, keys: [key = ""], now }) {
    const { numResults: limit, freshness } = query;
    return {
      url: new URL(`${baseUrl}/api/v1/search`),
      headers: { authorization: `Bearer ${key}` },
      json: JSON.stringify({
        query: addSites(query),
        workflow: canFollow(kagi, "category", query) ? query.category : "search",
        limit,
        ...(freshness !== undefined && { filters: { after: makeOldestDate(freshness, now).slice(0, 10) } }),
      }),
    };
  },

  readResults(answer) {
    const { search, news } = toFields(toFields(answer).data);
    return [search, news].flatMap((rows) =>
      readRows(rows, (row) => ({
        url: toLine(row.url),
        title: toPlainLine(row.title),
        summary: toPlainLine(row.snippet),
        ...optional("publishedAt", row.time),
      })),
    );
  },
};
