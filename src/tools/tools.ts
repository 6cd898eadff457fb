/** All tools, in the order in which clients list them. A new tool is a file and a line here. */
import { SpillwayError } from "../errors.ts";
import type { Session } from "../session/session.ts";
import { clip } from "../system/safe-names.ts";
import { fetchContentTool } from "./fetch-content.ts";
import { getSearchContentTool } from "./get-search-content.ts";
import { cancelIndexingTool, indexingStatusTool, indexRepositoryTool } from "./index-repository.ts";
import { readArtifactTool } from "./read-artifact.ts";
import { searchCodeTool } from "./search-code.ts";
import type { Tool } from "./tool.ts";
import { webFetchTool } from "./web-fetch.ts";
import { webFetchHtmlTool } from "./web-fetch-html.ts";
import { codeSearchTool, webSearchTool } from "./web-search.ts";

export const builtInTools: readonly Tool[] = [
  fetchContentTool,
  readArtifactTool,
  searchCodeTool,
  indexRepositoryTool,
  webSearchTool,
  codeSearchTool,
  // Unlisted: each is a part of one above, under its former name.
  webFetchTool,
  webFetchHtmlTool,
  getSearchContentTool,
  indexingStatusTool,
  cancelIndexingTool,
];

/** The built-in tools and a library user's own. Throws if two have the same name: a call could reach the wrong one. */
export function mergeTools(ownTools: readonly Tool[] = []): readonly Tool[] {
  const tools = [...builtInTools, ...ownTools];
  const names = tools.map(({ name }) => name);
  const invalid = names.find((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name));
  if (invalid !== undefined) {
    throw new SpillwayError("config_invalid", `${JSON.stringify(clip(invalid))} cannot be the name of a tool.`, {
      hint: "Use 1 to 64 letters, digits, underscores and dashes.",
    });
  }
  const duplicate = names.find((name, index) => names.indexOf(name) < index);
  if (duplicate === undefined) return tools;
  throw new SpillwayError("config_invalid", `There are two tools named ${JSON.stringify(clip(duplicate))}.`, {
    hint: "Give the tool that you add another name.",
  });
}

/** The tool of this name. */
export function findTool(name: string, tools: readonly Tool[] = builtInTools): Tool | undefined {
  return tools.find((tool) => tool.name === name);
}

/** The tools that a client is shown: those that can work here, without the ones whose work another tool does. */
export function listShown(tools: readonly Tool[], session: Pick<Session, "settings" | "env">): readonly Tool[] {
  const offered = listOffered(tools, session);
  return session.settings["mcp.tools"] === "all" ? offered : offered.filter(({ isUnlisted }) => !isUnlisted);
}

/** The tools that can work in this session. */
export function listOffered(tools: readonly Tool[], session: Pick<Session, "settings" | "env">): readonly Tool[] {
  return tools.filter(({ isOffered }) => isOffered?.(session) ?? true);
}
