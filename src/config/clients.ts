/**
 * What is known of the programs that call our tools: how much of one tool result each of them takes, in its own unit,
 * and where that is written. A result past such a limit is cut, moved to a file or refused by the client, so a reply is
 * made to fit before. A client that is not here gets what was asked for, or the defaults.
 */

/** The most one result may hold, in the units the client counts in. */
export type ResultLimit = {
  readonly chars?: number;
  readonly bytes?: number;
  readonly lines?: number;
  readonly tokens?: number;
};

export type ClientProfile = {
  readonly name: string;
  /** What a reply is fitted to: the client's limit less what it writes around a result. */
  readonly limit: ResultLimit;
};

type ClientRow = {
  readonly name: string;
  /** Fits the name that the client gives itself in a handshake or a request. */
  readonly calledItself: RegExp;
  /** As published; empty where the client has no figure. */
  readonly published: ResultLimit;
  readonly pastIt: string;
  readonly source: string;
};

const KiB = 1024;

/** The first row that fits is taken. */
export const clientRows: readonly ClientRow[] = [
  {
    name: "Claude Code",
    calledItself: /^claude[- ]code/i,
    published: { chars: 50_000, tokens: 25_000 },
    pastIt: "saved to a file, a short preview is shown",
    source: "anthropics/claude-code CHANGELOG 2.1.51 to 2.1.105; MAX_MCP_OUTPUT_TOKENS",
  },
  {
    name: "Claude Desktop",
    calledItself: /^claude/i,
    published: { chars: 100_000, bytes: 1_048_576 },
    pastIt: "an error; from about 100,000 characters cut",
    source: "jlowin/fastmcp#1036, CursorTouch/Windows-MCP#155",
  },
  {
    name: "Codex",
    calledItself: /^codex/i,
    published: { tokens: 10_000, bytes: 40_000 },
    pastIt: "the middle is removed and lost; a token is taken as 4 bytes",
    source: "openai/codex models.json, tools/context.rs; #6544, #14466",
  },
  {
    name: "Cursor",
    calledItself: /^cursor/i,
    published: {},
    pastIt: "long results become files; no figure is published",
    source: "cursor.com/blog/dynamic-context-discovery",
  },
  {
    name: "VS Code",
    calledItself: /^(visual studio code|visual-studio-code|vscode)/i,
    published: { bytes: 8 * KiB },
    pastIt: "moved to a file with a preview",
    source: "microsoft/vscode#329276, chat.agent.largeToolResultsToDisk.thresholdBytes",
  },
  {
    name: "Copilot CLI",
    calledItself: /^(github-copilot|copilot)/i,
    published: { bytes: 20 * KiB },
    pastIt: "the middle is removed",
    source: "github/copilot-cli#1732",
  },
  {
    name: "Gemini CLI",
    calledItself: /^gemini-cli/i,
    published: { chars: 40_000 },
    pastIt: "a fifth from the head and the rest from the tail, with a file path",
    source: "google-gemini/gemini-cli, tool-executor of 0.61",
  },
  {
    name: "opencode",
    calledItself: /^opencode/i,
    published: { bytes: 50 * KiB, lines: 2_000 },
    pastIt: "a file and a preview",
    source: "sst/opencode packages/opencode/src/tool/truncate.ts",
  },
  {
    name: "pi",
    calledItself: /^pi([ -]|$)/i,
    published: { bytes: 20 * KiB },
    pastIt: "the middle is removed, the full text is in a temporary file",
    source: "pi 1.5 docs/mcp.md",
  },
  {
    name: "Goose",
    calledItself: /^goose/i,
    published: { chars: 200_000 },
    pastIt: "a temporary file",
    source: "block/goose#2762, GOOSE_MAX_TOOL_RESPONSE_SIZE",
  },
];

/** A client counts what it writes around a result too: this share is left to it. */
const leftToClient = 0.05;

/** The profile of the client that calls itself so; undefined for one that is not known. */
export function clientProfile(calledItself: string | undefined): ClientProfile | undefined {
  const asked = calledItself?.trim() ?? "";
  const row =
    clientRows.find(({ name }) => name.toLowerCase() === asked.toLowerCase()) ??
    clientRows.find((each) => each.calledItself.test(asked));
  if (row === undefined) return undefined;
  const limits = Object.entries(row.published).map(([unit, max]) => [unit, Math.floor(max * (1 - leftToClient))]);
  return { name: row.name, limit: Object.fromEntries(limits) };
}
