/** `spillway token`: makes, lists and revokes the tokens of `spillway serve`. */
import { findDataHome } from "../../../config/paths.ts";
import { parseValue } from "../../../config/setting-values.ts";
import { nearestName } from "../../../config/suggest-name.ts";
import { SpillwayError } from "../../../errors.ts";
import { clip } from "../../../system/safe-names.ts";
import { readTokenFile, type TokenRow, type TokenUse, tokenUses } from "../../serve/tokens/token-file.ts";
import { addToken, isExpired, revokeToken, tokenFilePath } from "../../serve/tokens/tokens.ts";
import { readFolders, rejectExtraArguments } from "../arguments.ts";
import type { Call, Command, ExitCode } from "../command.ts";
import { readText } from "../options.ts";
import { toJsonLine } from "../output.ts";

export const tokenCommand: Command = {
  usage: "token add|list|revoke [NAME]",
  examples: [
    ["token add ann --expires 30d", "make a token and print it, once"],
    ["token revoke ann", "refuse it from now on"],
  ],
  words: ["add", "list", "revoke"],
  about: "Makes, lists and revokes the tokens by which clients of spillway serve are known.",
  options: {
    owner: {
      type: "string",
      value: "NAME",
      about: "With add: whose artifacts, projects and runs the token opens. Default: the token's name.",
    },
    expires: { type: "string", value: "30d", about: "With add: how long the token is valid. Default: until revoked." },
    rate: {
      type: "string",
      value: "N",
      about: "With add: requests per minute. Default: the setting serve.owner_rate.",
    },
    files: {
      type: "string",
      multiple: true,
      value: "DIR",
      about: "With add: a folder of this machine whose files may be read by path; may be repeated. Default: none.",
    },
    admin: { type: "boolean", about: "With add: the token also opens the metrics of the whole server." },
    only: {
      type: "string",
      value: tokenUses.join("|"),
      about: "With add: the token opens nothing but the proxy for providers of models, so it may be in an address.",
    },
  },
  details: [
    "add prints the token once; only its hash is stored (setting serve.tokens). Several tokens may have one owner.",
    "A running server refuses a revoked token from the next request on.",
  ].join("\n"),
  async run(call) {
    const [name = "list", ...args] = call.args;
    const action = Object.hasOwn(actions, name) ? actions[name as keyof typeof actions] : undefined;
    if (action === undefined) throw unknownAction(name);
    if (name !== "add") rejectOptionsOfAdd(name, call);
    const session = await call.session();
    const home = findDataHome(session.settings.home, session.env, process.platform);
    return action({ ...call, args }, tokenFilePath(home, session.settings["serve.tokens"]));
  },
};

const actions = { add, list, revoke };

function unknownAction(name: string): SpillwayError {
  const names = Object.keys(actions);
  const nearest = nearestName(name, names);
  return new SpillwayError("usage", `token has no action ${JSON.stringify(clip(name))}.`, {
    hint: `${nearest === undefined ? "" : `Did you mean ${nearest}? `}Actions: ${names.join(", ")}.`,
  });
}

function rejectOptionsOfAdd(action: string, { values }: Call): void {
  const ignored = ["owner", "expires", "rate", "files", "admin", "only"].find((option) => values[option] !== undefined);
  if (ignored === undefined) return;
  throw new SpillwayError("usage", `token ${action} takes no --${ignored}.`, {
    hint: `Run spillway token add NAME --${ignored}.`,
  });
}

async function add(call: Call, path: string): Promise<ExitCode> {
  const name = requireName(call);
  const { values, terminal } = call;
  const now = Date.now();
  const lifeMs = readNumber(call, "expires", "duration");
  const given = {
    name,
    owner: readText(call, "owner"),
    expiresAt: lifeMs === undefined ? undefined : now + lifeMs,
    rate: readNumber(call, "rate", "integer"),
    folders: await readFolders(call, "files"),
    isAdmin: values.admin === true,
    only: readUse(call),
  };
  const { token, row } = await addToken(path, given, now);
  if (call.json) await terminal.out(toJsonLine({ token, ...describe(row, now) }));
  else {
    await terminal.out(`${token}\n`);
    const use =
      row.only === "llm"
        ? "It belongs into base URLs: /llm/TOKEN/openai/v1"
        : "Clients send it as Authorization: Bearer TOKEN";
    terminal.note(`\nThe token of ${row.owner}. It is not shown again. ${use}.\n`);
  }
  return 0;
}

function readUse(call: Call): TokenUse | undefined {
  const text = readText(call, "only");
  const use = tokenUses.find((each) => each === text);
  if (text !== undefined && use === undefined)
    throw new SpillwayError("usage", `--only cannot be ${JSON.stringify(clip(text))}.`, { hint: "Use --only llm." });
  const other = use === undefined ? undefined : ["files", "admin"].find((option) => call.values[option] !== undefined);
  if (other === undefined) return use;
  throw new SpillwayError("usage", `A token with --only ${use} cannot have --${other}.`, {
    hint: "Make two tokens with the same --owner.",
  });
}

async function list(call: Call, path: string): Promise<ExitCode> {
  rejectExtraArguments(0, call);
  const now = Date.now();
  const tokens = readTokenFile(path).rows.map((row) => describe(row, now));
  if (call.json) await call.terminal.out(toJsonLine({ tokens }));
  else for (const token of tokens) await call.terminal.out(`${toLine(token)}\n`);
  if (tokens.length === 0) call.terminal.note("spillway: there are no tokens. Make one: spillway token add NAME.\n");
  return 0;
}

async function revoke(call: Call, path: string): Promise<ExitCode> {
  const name = requireName(call);
  await revokeToken(path, name);
  if (call.json) await call.terminal.out(toJsonLine({ revoked: name }));
  else call.terminal.note(`The token ${name} is revoked.\n`);
  return 0;
}

function requireName(call: Call): string {
  rejectExtraArguments(1, call);
  const [name] = call.args;
  if (name !== undefined) return name;
  throw new SpillwayError("usage", "The name of the token is missing.", {
    hint: "For example spillway token add ann.",
  });
}

/** The value of an option as the settings write such values: `30d`, `600`. */
function readNumber(call: Call, option: string, type: "duration" | "integer"): number | undefined {
  const text = readText(call, option);
  if (text === undefined) return undefined;
  const row = { type, default: null, about: "", min: 1 } as const;
  const base = { folder: call.terminal.cwd, home: undefined, platform: process.platform };
  const parsed = parseValue(row, text, base);
  if (parsed.ok && typeof parsed.value === "number") return parsed.value;
  throw new SpillwayError("usage", `--${option} ${parsed.ok ? "must be a number." : parsed.fault}`, {
    hint: type === "duration" ? "For example --expires 30d or --expires 12h." : "For example --rate 600.",
  });
}

type Described = Omit<TokenRow, "sha256"> & { readonly expired: boolean };

function describe(row: TokenRow, now: number): Described {
  const { sha256: _, ...shown } = row;
  return { ...shown, expired: isExpired(row, now) };
}

function toLine({ name, owner, created_at, expires_at, expired, rate, folders, admin, only }: Described): string {
  const facts = [
    `made ${created_at.slice(0, 10)}`,
    ...(expires_at === null ? [] : [`${expired ? "expired" : "expires"} ${expires_at.slice(0, 16).replace("T", " ")}`]),
    ...(rate === null ? [] : [`${rate} requests per minute`]),
    ...(admin ? ["admin"] : []),
    ...(only ? [`only ${only}`] : []),
    ...folders.map((folder) => `reads ${folder}`),
  ];
  return `${name.padEnd(20)} owner ${owner.padEnd(20)} ${facts.join(", ")}`;
}
