/** Google Programmable Search: https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list */
import { toFields, toLine } from "../../system/json-values.ts";
import { readRows, type WebProvider } from "../web-provider.ts";
import { addSites } from "./site-operators.ts";

const codes = { day: "d1", week: "w1", month: "m1", year: "y1" } as const;

export const google: WebProvider = {
  name: "google",
  baseUrl: "https://www.googleapis.com",
  keyNames: [
    ["GOOGLE_PSE_KEY", "GOOGLE_SEARCH_API_KEY"],
    ["GOOGLE_PSE_CX", "GOOGLE_SEARCH_ENGINE_ID"],
  ],
  features: new Set(["freshness", "includeDomains", "excludeDomains"]),
  maxResults: 10,

  makeRequest(query, { baseUrl, keys: [key = "", engine = ""] }) {
    const url = new URL(`${baseUrl}/customsearch/v1`);
    url.searchParams.set("q", addSites(query));
    url.searchParams.set("cx", engine);
    url.searchParams.set("num", String(query.numResults));
    if (query.freshness !== undefined) url.searchParams.set("dateRestrict", codes[query.freshness]);
    // The key is a header, so that it is in no log of addresses.
    return { url, headers: { "x-goog-api-key": key } };
  },

  readResults: (answer) =>
    readRows(toFields(answer).items, (row) => ({
      url: toLine(row.link),
      title: toLine(row.title),
      summary: toLine(row.snippet),
    })),
};
