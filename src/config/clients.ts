/**
 * Client profiles: how much of one tool result each client accepts, in its own unit, and the source of that figure. A
 * client truncates, moves to a file or refuses a result over its limit, so replies are fitted to it first. An unknown
 * client gets what it requests, or the defaults.
 */

/** The maximum size of one result, in the units the client counts in. */
export type ResultLimit = {
  readonly chars?: number;
  readonly bytes?: number;
  readonly lines?: number;
  readonly tokens?: number;
};

export type ClientProfile = {
  readonly name: string;
  /** What a reply is fitted to: the client's limit minus what the client adds around a result. */
  readonly limit: ResultLimit;
};

type ClientRow = {
  readonly name: string;
  /** Matches the client's name in a handshake or a request. */
  readonly namePattern: RegExp;
  /** As published; empty if there is no figure. */
  readonly published: ResultLimit;
  readonly whenExceeded: string;
  readonly source: string;
};

const KiB = 1024;

/** The first matching row is used. */
export const clientRows: readonly ClientRow[] = [
  {
    name: "Claude Code",
    namePattern: /^claude[- ]code/i,
    published: { chars: 50_000, tokens: 25_000 },
    whenExceeded: "saved to a file, a short preview is shown",
    source: "anthropics/claude-code CHANGELOG 2.1.51 to 2.1.105; MAX_MCP_OUTPUT_TOKENS",
  },
  {
    name: "Claude Desktop",
    namePattern: /^claude/i,
    published: { chars: 100_000, bytes: 1_048_576 },
    whenExceeded: "an error; from about 100,000 characters cut",
    source: "jlowin/fastmcp#1036, CursorTouch/Windows-MCP#155",
  },
  {
    name: "Codex",
    namePattern: /^codex/i,
    published: { tokens: 10_000, bytes: 40_000 },
    whenExceeded: "the middle is removed and lost; a token is taken as 4 bytes",
    source: "openai/codex models.json, tools/context.rs; #6544, #14466",
  },
  {
    name: "Cursor",
    namePattern: /^cursor/i,
    published: {},
    whenExceeded: "long results become files; no figure is published",
    source: "cursor.com/blog/dynamic-context-discovery",
  },
  {
    name: "VS Code",
    namePattern: /^(visual studio code|visual-studio-code|vscode)/i,
    published: { bytes: 8 * KiB },
    whenExceeded: "moved to a file with a preview",
    source: "microsoft/vscode#329276, chat.agent.largeToolResultsToDisk.thresholdBytes",
  },
  {
    name: "Copilot CLI",
    namePattern: /^(github-copilot|copilot)/i,
    published: { bytes: 20 * KiB },
    whenExceeded: "the middle is removed",
    source: "github/copilot-cli#1732",
  },
  {
    name: "Gemini CLI",
    namePattern: /^gemini-cli/i,
    published: { chars: 40_000 },
    whenExceeded: "a fifth from the head and the rest from the tail, with a file path",
    source: "google-gemini/gemini-cli, tool-executor of 0.61",
  },
  {
    name: "opencode",
    namePattern: /^opencode/i,
    published: { bytes: 50 * KiB, lines: 2_000 },
    whenExceeded: "a file and a preview",
    source: "sst/opencode packages/opencode/src/tool/truncate.ts",
  },
  {
    name: "pi",
    namePattern: /^pi([ -]|$)/i,
    published: { bytes: 20 * KiB },
    whenExceeded: "the middle is removed, the full text is in a temporary file",
    source: "pi 1.5 docs/mcp.md",
  },
  {
    name: "Goose",
    namePattern: /^goose/i,
    published: { chars: 200_000 },
    whenExceeded: "a temporary file",
    source: "block/goose#2762, GOOSE_MAX_TOOL_RESPONSE_SIZE",
  },
];

/** Share of the limit left for what the client adds around a result. */
const CLIENT_OVERHEAD_SHARE = 0.05;

/** The profile of a client by the name it reports; undefined if the client is unknown. */
export function findClientProfile(clientName: string | undefined): ClientProfile | undefined {
  const reportedName = clientName?.trim() ?? "";
  const row =
    clientRows.find(({ name }) => name.toLowerCase() === reportedName.toLowerCase()) ??
    clientRows.find(({ namePattern }) => namePattern.test(reportedName));
  if (row === undefined) return undefined;
  const limits = Object.entries(row.published).map(([unit, max]) => [
    unit,
    Math.floor(max * (1 - CLIENT_OVERHEAD_SHARE)),
  ]);
  return { name: row.name, limit: Object.fromEntries(limits) };
}
