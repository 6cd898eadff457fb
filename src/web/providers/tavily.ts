/** Tavily: https://docs.tavily.com/documentation/api-reference/endpoint/search */
import { toFields, toLine } from "../../system/json-values.ts";
import { canFollow, optional, readRows, type WebProvider } from "../web-provider.ts";

export const tavily: WebProvider = {
  name: "tavily",
  baseUrl: "https://api.tavily.com",
  keyNames: [["TAVILY_API_KEY"]],
  features: new Set(["freshness", "includeDomains", "excludeDomains", "category", "text"]),
  categories: ["general", "news", "finance"],
  maxResults: 20,

  makeRequest(query, { baseUrl, keys: [key = ""] }) {
    const { numResults, freshness, includeDomains, excludeDomains, category, wantsText } = query;
    return {
      url: new URL(`${baseUrl}/search`),
      headers: { authorization: `Bearer ${key}` },
      json: JSON.stringify({
        query: query.query,
        max_results: numResults,
        ...(freshness !== undefined && { time_range: freshness }),
        ...(includeDomains.length > 0 && { include_domains: includeDomains }),
        ...(excludeDomains.length > 0 && { exclude_domains: excludeDomains }),
        ...(canFollow(tavily, "category", query) && { topic: category }),
        ...(wantsText && { include_raw_content: "markdown" }),
      }),
    };
  },

  readResults: (answer) =>
    readRows(toFields(answer).results, (row) => ({
      url: toLine(row.url),
      title: toLine(row.title),
      summary: toLine(row.content),
      ...(typeof row.raw_content === "string" && row.raw_content !== "" && { text: row.raw_content }),
      ...optional("publishedAt", row.published_date),
    })),
};
