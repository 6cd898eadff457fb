/** All tools, in the order in which clients list them. A new tool is a file and a line here. */
import { fetchContentTool } from "./fetch-content.ts";
import { getSearchContentTool } from "./get-search-content.ts";
import { cancelIndexingTool, indexingStatusTool, indexRepositoryTool } from "./index-repository.ts";
import { readArtifactTool } from "./read-artifact.ts";
import { searchCodeTool } from "./search-code.ts";
import type { Tool } from "./tool.ts";
import { webFetchTool } from "./web-fetch.ts";
import { webFetchHtmlTool } from "./web-fetch-html.ts";

export const builtInTools: readonly Tool[] = [
  fetchContentTool,
  getSearchContentTool,
  readArtifactTool,
  webFetchTool,
  webFetchHtmlTool,
  searchCodeTool,
  indexRepositoryTool,
  indexingStatusTool,
  cancelIndexingTool,
];

/** The tool of this name. */
export function findTool(name: string): Tool | undefined {
  return builtInTools.find((tool) => tool.name === name);
}
