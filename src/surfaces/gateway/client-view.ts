/** What a client shows its model of a result with text and structured content, and how it spells the tools of a server. */

export type ClientView = {
  /** The form that the model sees; of results with both, some clients drop the text and some show everything twice. */
  readonly shows: "text" | "structured" | "both";
  /** The name under which the model calls a tool of the server that the user's config calls `server`. */
  spell(server: string, tool: string): string;
  /** Set where scripts read results: they need all of it. */
  readonly hasScripts?: true;
};

const plainName = (_server: string, tool: string): string => tool;
const doubleName = (server: string, tool: string): string => `mcp__${server.replace(/[^\w-]/g, "_")}__${tool}`;

/** Seen in each client with a model that recorded what it was sent (Claude Code 2.1.325, Codex 0.166, opencode 1.18, Qwen 0.24, Cline 3.0, pi 1.5). */
const views: Readonly<Record<string, ClientView>> = {
  "Claude Code": { shows: "structured", spell: doubleName },
  Codex: { shows: "structured", spell: doubleName },
  opencode: { shows: "text", spell: (server, tool) => `${server.replace(/[^\w-]/g, "_")}_${tool}` },
  "Qwen Code": { shows: "both", spell: doubleName },
  Cline: { shows: "both", spell: plainName },
  pi: { shows: "both", spell: plainName, hasScripts: true },
};

/** The view of a client by the name of its profile. */
export function findClientView(profileName: string | undefined): ClientView {
  return views[profileName ?? ""] ?? { shows: "text", spell: plainName };
}
