/** SearXNG, which people host themselves: https://docs.searxng.org/dev/search_api.html */

import { toFields, toLine, toList } from "../../system/json-values.ts";
import { formatCount } from "../../system/quantities.ts";
import { optional, readRows, type WebProvider } from "../web-provider.ts";
import { addSites } from "./site-operators.ts";

export const searxng: WebProvider = {
  name: "searxng",
  baseUrl: undefined,
  keyNames: [],
  features: new Set(["freshness", "includeDomains", "excludeDomains", "category"]),
  maxResults: 50,
  accessHint: "A SearXNG answers programs only if json is among search.formats in its settings.yml.",

  makeRequest(query, { baseUrl }) {
    const url = new URL(`${baseUrl}/search`);
    url.searchParams.set("q", addSites(query));
    url.searchParams.set("format", "json");
    // Its documentation leaves out week, which it accepts as well.
    if (query.freshness !== undefined) url.searchParams.set("time_range", query.freshness);
    if (query.category !== undefined) url.searchParams.set("categories", query.category);
    return { url, headers: {} };
  },

  readResults: (answer) =>
    readRows(toFields(answer).results, (row) => ({
      url: toLine(row.url),
      title: toLine(row.title),
      summary: toLine(row.content),
      ...optional("publishedAt", row.publishedDate),
    })),

  readNotes(answer) {
    const count = toList(toFields(answer).unresponsive_engines).length;
    return count === 0 ? [] : [`${formatCount(count, "engine")} of the SearXNG did not answer.`];
  },
};
