/** `spillway gateway`: other MCP servers behind a relay that bounds their results. */
import { basename } from "node:path";
import { settingsDespiteProblems } from "../../../config/load-config.ts";
import { homeFolder } from "../../../config/paths.ts";
import { SpillwayError } from "../../../errors.ts";
import { openSession } from "../../../session/session.ts";
import { clip } from "../../../system/safe-names.ts";
import { toLogText, toTerminalText } from "../../../system/terminal-text.ts";
import { collectLess } from "../../gateway/collect-less.ts";
import { serveLines } from "../../gateway/downstream/serve-lines.ts";
import {
  findGatewayFile,
  httpTransports,
  readGatewayFile,
  readMode,
  readTexts,
  readTransport,
  readUrl,
  type ServerEntry,
  type ServerSource,
} from "../../gateway/gateway-file.ts";
import { openGateway } from "../../gateway/open-gateway.ts";
import { relayModes } from "../../gateway/tools/tool-rules.ts";
import { rejectEmptyArgument } from "../arguments.ts";
import { acceptDefinitions, listChangedDefinitions } from "../changed-definitions.ts";
import type { Call, Command } from "../command.ts";
import { readText } from "../options.ts";

export const gatewayCommand: Command = {
  usage: "gateway [-- <command> [args...]]",
  examples: [
    ["gateway -- npx -y @modelcontextprotocol/server-filesystem .", "one server over stdio"],
    ["gateway --url https://example.com/mcp", "a server over HTTP"],
  ],
  about: "Starts MCP servers and relays their messages. A result that is too large becomes a first page with a ref.",
  options: {
    url: {
      type: "string",
      value: "URL",
      about: "A server over HTTP, in place of a command. $NAME is a variable of the environment.",
    },
    transport: {
      type: "string",
      value: httpTransports.join("|"),
      about: "How the server of --url is spoken to. sse: the transport of 2024. Default: http.",
    },
    header: {
      type: "string",
      multiple: true,
      value: "NAME=VALUE",
      about:
        "A header for the server of --url. $NAME in the value is a variable of the environment, so that no key is in the command. May be repeated.",
    },
    config: {
      type: "string",
      value: "FILE",
      about: "The file that names the servers. Default: gateway.jsonc beside your config file.",
    },
    server: { type: "string", value: "A,B", about: "Only these servers of the file." },
    mode: {
      type: "string",
      value: relayModes.join("|"),
      about:
        "bound: large results become a first page. annotate: all passes, with a ref. off: all passes. Default: by the client.",
    },
    name: {
      type: "string",
      value: "NAME",
      about: "The name of the server in the client's config, for records and for how tools are spelled.",
    },
    env: {
      type: "string",
      multiple: true,
      value: "NAME",
      about: "A variable that the server gets, besides PATH, HOME and the like. May be repeated.",
    },
    client: { type: "string", value: "NAME", about: "Fit results to this client, not to the one that connects." },
    changes: { type: "boolean", about: "List definitions of tools that have changed and are held back." },
    accept: { type: "string", value: "SERVER", about: "Accept what a server has changed." },
    port: {
      type: "string",
      value: "PORT",
      about: "Serve over HTTP on 127.0.0.1, not over standard input and output. 0 picks a free port.",
    },
  },
  details: [
    "In a client's configuration, put `spillway gateway --` before the command of the server.",
    "Without a command or URL, the servers of gateway.jsonc are offered as one, their tools under prefixes.",
    "Small results, and everything that is not a tool result, pass byte for byte.",
  ].join("\n"),
  toleratesBadConfig: true,
  async run(call) {
    if (call.values.changes === true) return listChangedDefinitions(call);
    const accepted = readText(call, "accept");
    if (accepted !== undefined) return acceptDefinitions(call, accepted);
    const servers = await readServers(call);
    collectLess();
    const { terminal, signal, config } = call;
    const { cwd, env, stdin: input, out } = terminal;
    // Sentences may quote what servers sent.
    const note = (text: string) => terminal.note(toTerminalText(text));
    const log = (sentence: string) => note(`spillway gateway: ${toLogText(sentence)}\n`);
    const settings = settingsDespiteProblems(config);
    await using session = await openSession({ settings, cwd, env, confined: true, signal, log });
    const options = {
      session,
      servers,
      cwd,
      log,
      note,
      client: readText(call, "client"),
      configName: readText(call, "name"),
    };
    const port = readPort(readText(call, "port"));
    if (port !== undefined) {
      const { serveHttp } = await import("../../gateway/downstream/serve-http.ts");
      return serveHttp({ ...options, port, signal, out });
    }
    await using gateway = openGateway(options);
    return (await serveLines({ input, signal, out, log, open: (toClient) => gateway.connect(toClient) })) ? 0 : 1;
  },
};

/** The server of the command line, or those of the file. */
async function readServers(call: Call): Promise<readonly ServerEntry[]> {
  const source = readSource(call);
  const mode = readText(call, "mode");
  const rules = mode === undefined ? {} : { mode: readMode(mode, "--mode") };
  if (source === undefined) return readFile(call, rules);
  const name = readText(call, "name") ?? ("url" in source ? new URL(source.url).hostname : basename(source.command));
  return [{ name, source, rules }];
}

function readSource(call: Call): ServerSource | undefined {
  const [command, ...args] = call.args;
  rejectEmptyArgument(command, call);
  const url = readText(call, "url");
  const named = call.values.env;
  const passEnv = Array.isArray(named) ? named.map(String) : [];
  if (url !== undefined && command !== undefined)
    throw new SpillwayError("usage", "gateway takes a command or --url, not both.", { hint: "Leave one of them out." });
  if (url !== undefined) return readUrlSource(call, url);
  if (call.values.transport !== undefined)
    throw new SpillwayError("usage", "--transport needs --url.", { hint: "A command is spoken to over stdio." });
  if (call.values.header !== undefined)
    throw new SpillwayError("usage", "--header needs --url.", { hint: "A command has no headers: use --env for it." });
  return command === undefined ? undefined : { command, args, env: {}, passEnv };
}

function readUrlSource(call: Call, text: string): ServerSource {
  const { url } = readTexts({ url: text }, "--url", call.terminal.env);
  return {
    url: readUrl(url, "--url"),
    headers: readHeaders(call),
    transport: readTransport(readText(call, "transport"), "--transport"),
  };
}

function readHeaders({ values, terminal }: Call): Readonly<Record<string, string>> {
  const given = Array.isArray(values.header) ? values.header.map(String) : [];
  const pairs = given.map((text) => {
    const [, name, value] = /^([\w-]+)=(.*)$/s.exec(text) ?? [];
    if (name !== undefined) return [name, value];
    throw new SpillwayError("usage", `--header ${JSON.stringify(clip(text))} is not a name and a value.`, {
      hint: "Write --header 'Authorization=Bearer $TOKEN'.",
    });
  });
  return readTexts(Object.fromEntries(pairs), "--header", terminal.env);
}

async function readFile(call: Call, rules: ServerEntry["rules"]): Promise<readonly ServerEntry[]> {
  const { env } = call.terminal;
  const named = readText(call, "config");
  const { platform } = process;
  const file = named ?? findGatewayFile({ env, platform, homeDir: homeFolder(env, platform) });
  if (file === undefined)
    throw new SpillwayError("usage", "gateway needs the command of an MCP server.", {
      hint: "Write spillway gateway -- npx -y some-mcp-server",
    });
  const entries = await readGatewayFile(file, named !== undefined, env);
  const wanted = readText(call, "server")?.split(",");
  const missing = wanted?.find((name) => !entries.some((entry) => entry.name === name));
  if (missing !== undefined)
    throw new SpillwayError("usage", `${file} has no server ${JSON.stringify(missing)}.`, {
      hint: `It has ${entries.map(({ name }) => name).join(", ")}.`,
    });
  return entries
    .filter(({ name }) => wanted?.includes(name) ?? true)
    .map((entry) => ({ ...entry, rules: { ...entry.rules, ...rules } }));
}

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new SpillwayError("usage", `${JSON.stringify(text)} is not a port.`, { hint: "Use 0 to 65535." });
}
