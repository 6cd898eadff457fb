/**
 * Client profiles: how each client is recognised, which form of a reply it shows to its model, how much of one result it
 * accepts in its own unit, and the source of that figure. A client truncates, moves to a file or refuses a result over
 * its limit, so replies are fitted to it first.
 */

/** The maximum size of one result, in the units the client counts in. */
export type ResultLimit = {
  readonly chars?: number;
  readonly bytes?: number;
  readonly lines?: number;
  readonly tokens?: number;
};

/**
 * What is sent: the text alone, the structured content beside one line of text, or both in full. A client that shows both
 * to its model shows everything twice, so `both` is fitted as a sum.
 */
export type ReplyForm = "text" | "structured" | "both";

export type ClientProfile = {
  readonly name: string;
  readonly form: ReplyForm;
  /** What a reply is fitted to: the client's limit minus what the client adds around a result. */
  readonly limit: ResultLimit;
  /** Characters of one reply unless the call asks for a number; set where the client's limit is not known. */
  readonly unaskedChars?: number;
  /** Set where the client shows and counts a result as JSON, escapes included. */
  readonly countsJson?: true;
  /** Set where the client offers resources to its model as tools. */
  readonly resourcesAsTools?: true;
};

/** One client. The rows of this table are used by the server, `install`, `doctor` and the docs. */
export type ClientRow = {
  readonly name: string;
  /** Matches the client's name in a handshake or a request. */
  readonly namePattern: RegExp;
  readonly form: ReplyForm;
  /** As published or measured; empty if the client cuts nothing, null if no figure is known. */
  readonly published: ResultLimit | null;
  /** Set where the limit depends on the model that the client names with each call. */
  readonly models?: ModelLimits;
  readonly whenExceeded: string;
  readonly source: string;
} & Pick<ClientProfile, "countsJson" | "resourcesAsTools">;

/** The models for which the published limit holds, and the limit for every other one. */
type ModelLimits = { readonly known: RegExp; readonly otherLimit: ResultLimit };

const KiB = 1024;

/** The first matching row is used. */
export const clientRows: readonly ClientRow[] = [
  {
    name: "Claude Code",
    namePattern: /^claude[- ]code/i,
    form: "text",
    published: { chars: 50_000, tokens: 25_000 },
    whenExceeded: "saved to a file, a short preview is shown",
    source: "anthropics/claude-code CHANGELOG 2.1.51 to 2.1.105; MAX_MCP_OUTPUT_TOKENS",
  },
  {
    name: "Claude Desktop",
    namePattern: /^claude/i,
    form: "text",
    published: { chars: 100_000, bytes: 1_048_576 },
    whenExceeded: "an error; from about 100,000 characters cut",
    source: "jlowin/fastmcp#1036, CursorTouch/Windows-MCP#155",
  },
  {
    name: "Codex",
    namePattern: /^codex/i,
    form: "structured",
    published: { tokens: 10_000, bytes: 40_000 },
    models: {
      known: /^(gpt-5\.5|gpt-5\.6-.+|gpt-6|gpt-6[.-].+|gpt-daybreak-.+|codex-auto-review)$/,
      otherLimit: { bytes: 10_000 },
    },
    whenExceeded: "the middle is removed and lost; a token is taken as 4 bytes",
    source:
      "openai/codex models.json, tools/context.rs; #6544, #14466; 0.166 measured with models in its catalogue and others",
  },
  {
    name: "Cursor",
    namePattern: /^cursor/i,
    form: "text",
    published: null,
    whenExceeded: "long results become files; no figure is published",
    source: "cursor.com/blog/dynamic-context-discovery",
  },
  {
    name: "VS Code",
    namePattern: /^(visual studio code|visual-studio-code|vscode)/i,
    form: "text",
    published: { bytes: 8 * KiB },
    whenExceeded: "moved to a file with a preview",
    source: "microsoft/vscode#329276, chat.agent.largeToolResultsToDisk.thresholdBytes",
  },
  {
    name: "Copilot CLI",
    namePattern: /^(github-copilot|copilot)/i,
    form: "text",
    published: { bytes: 20 * KiB },
    whenExceeded: "the middle is removed",
    source: "github/copilot-cli#1732",
  },
  {
    name: "Gemini CLI",
    namePattern: /^gemini-cli/i,
    form: "text",
    published: { chars: 40_000 },
    whenExceeded: "a fifth from the head and the rest from the tail, with a file path",
    source: "google-gemini/gemini-cli, tool-executor of 0.61",
  },
  {
    name: "Qwen Code",
    namePattern: /^qwen/i,
    form: "text",
    published: { chars: 25_000, lines: 1_000 },
    whenExceeded: "saved to a file, a preview of 2 KB is shown",
    source:
      "QwenLM/qwen-code#2439 (truncateToolOutputThreshold, truncateToolOutputLines); 0.24 measured: 27.8 KB passed, 30 KB did not",
  },
  {
    name: "opencode",
    namePattern: /^opencode/i,
    form: "text",
    published: { bytes: 50 * KiB, lines: 2_000 },
    whenExceeded: "a file and a preview",
    source: "sst/opencode packages/opencode/src/tool/truncate.ts",
  },
  {
    name: "pi",
    namePattern: /^pi([ -]|$)/i,
    form: "text",
    published: { bytes: 20 * KiB },
    whenExceeded: "the middle is removed, the full text is in a temporary file",
    source: "pi 1.5 docs/mcp.md; its adapter: nicobailon/pi-mcp-adapter#160 (50 KB, 2,000 lines)",
    resourcesAsTools: true,
  },
  {
    name: "Cline",
    namePattern: /^(@cline\/|cline)/i,
    form: "text",
    published: { chars: 8_000 },
    whenExceeded: "the middle is removed; the result is counted as JSON",
    countsJson: true,
    source: "Cline CLI 3.0, measured",
  },
  {
    name: "Continue",
    namePattern: /^continue/i,
    form: "text",
    published: {},
    whenExceeded: "nothing is cut: 202 KB reached the model",
    source: "Continue CLI 1.5, measured",
  },
  {
    name: "Zed",
    namePattern: /^zed/i,
    form: "text",
    published: {},
    whenExceeded: "nothing is cut",
    source: "zed-industries/zed#62184 (a limit was proposed and not merged)",
  },
  {
    name: "Crush",
    namePattern: /^crush/i,
    form: "text",
    published: {},
    whenExceeded: "nothing is cut",
    source: "charmbracelet/crush#3480 (a limit is proposed)",
  },
  {
    name: "Windsurf",
    namePattern: /^(windsurf|codeium)/i,
    form: "text",
    published: null,
    whenExceeded: "no figure is published",
    source: "docs.windsurf.com/windsurf/cascade/mcp names only a limit of 100 tools",
  },
  {
    name: "Amp",
    namePattern: /^amp([ -]|$)/i,
    form: "text",
    published: null,
    whenExceeded: "no figure is published",
    source: "ampcode.com/manual",
  },
  {
    name: "Goose",
    namePattern: /^goose/i,
    form: "text",
    published: { chars: 200_000 },
    whenExceeded: "a temporary file",
    source: "block/goose#2762, GOOSE_MAX_TOOL_RESPONSE_SIZE",
  },
];

/** A client whose limit is not known gets a reply of this length, unless the call asks for more. */
export const UNKNOWN_CLIENT_CHARS = 8_000;

/** The profile of a client that no row matches. */
export const unknownClient: ClientProfile = {
  name: "unknown",
  form: "text",
  limit: {},
  unaskedChars: UNKNOWN_CLIENT_CHARS,
};

/** The profile that `--client none` names: only the usual budgets apply. */
export const noClient: ClientProfile = { name: "none", form: "text", limit: {} };

/** Share of the limit left for what the client adds around a result. */
const CLIENT_OVERHEAD_SHARE = 0.05;

/**
 * The profile of a client by the name it reports; undefined if the client is unknown. A client whose limit depends on the
 * model gets the smaller one unless it names a model that takes more.
 */
export function findClientProfile(clientName: string | undefined, model?: string): ClientProfile | undefined {
  const reportedName = clientName?.trim() ?? "";
  if (reportedName.toLowerCase() === noClient.name) return noClient;
  const row =
    clientRows.find(({ name }) => name.toLowerCase() === reportedName.toLowerCase()) ??
    clientRows.find(({ namePattern }) => namePattern.test(reportedName));
  return row && toProfile(row, model);
}

function toProfile(row: ClientRow, model: string | undefined): ClientProfile {
  const { name, form, published, models, countsJson, resourcesAsTools } = row;
  const isPublishedModel = models === undefined || (model !== undefined && models.known.test(model));
  const limits = Object.entries((isPublishedModel ? published : models.otherLimit) ?? {}).map(([unit, max]) => [
    unit,
    Math.floor(max * (1 - CLIENT_OVERHEAD_SHARE)),
  ]);
  return {
    name,
    form,
    limit: Object.fromEntries(limits),
    ...(published === null && { unaskedChars: UNKNOWN_CLIENT_CHARS }),
    ...(countsJson && { countsJson }),
    ...(resourcesAsTools && { resourcesAsTools }),
  };
}

/** The model that a Codex call names in its `_meta`; undefined elsewhere. */
export function findModel(meta: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const turn = parseTurn(meta?.["x-codex-turn-metadata"]);
  return typeof turn === "object" && turn !== null && "model" in turn && typeof turn.model === "string"
    ? turn.model
    : undefined;
}

/** Codex sends an object here, and the same as JSON text in its requests to providers. */
function parseTurn(turn: unknown): unknown {
  if (typeof turn !== "string") return turn;
  try {
    return JSON.parse(turn);
  } catch {
    return undefined; // Without a model the smaller limit applies.
  }
}
