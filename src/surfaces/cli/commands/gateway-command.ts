/** `spillway gateway`: another MCP server behind a relay that bounds its results. */
import { basename } from "node:path";
import { settingsDespiteProblems } from "../../../config/load-config.ts";
import { SpillwayError } from "../../../errors.ts";
import { openSession } from "../../../session/session.ts";
import { serveGateway } from "../../gateway/serve-gateway.ts";
import { makeToolRules, type RelayMode, relayModes } from "../../gateway/tool-rules.ts";
import type { Command } from "../command.ts";
import { readText } from "../options.ts";

export const gatewayCommand: Command = {
  usage: "gateway -- <command> [args...]",
  about: "Starts an MCP server and relays its messages. A result that is too large becomes a first page with a ref.",
  options: {
    mode: {
      type: "string",
      value: relayModes.join("|"),
      about:
        "bound: large results become a first page. annotate: all passes, with a ref. off: all passes. Default: by the client.",
    },
    name: { type: "string", value: "NAME", about: "The name of the server in records. Default: its command." },
    client: { type: "string", value: "NAME", about: "Fit results to this client, not to the one that connects." },
  },
  details: [
    "In a client's configuration, put `spillway gateway --` before the command of the server.",
    "Small results, and everything that is not a tool result, pass byte for byte.",
  ].join("\n"),
  toleratesBadConfig: true,
  async run(call) {
    const [command, ...args] = call.args;
    if (command === undefined) {
      throw new SpillwayError("usage", "gateway needs the command of an MCP server.", {
        hint: "Write spillway gateway -- npx -y some-mcp-server",
      });
    }
    const rules = makeToolRules({ mode: readMode(readText(call, "mode")) });
    const { terminal, signal, config } = call;
    const { cwd, env, stdin: input, out } = terminal;
    const log = (sentence: string) => terminal.note(`spillway gateway: ${sentence}\n`);
    await using session = await openSession({
      settings: settingsDespiteProblems(config),
      cwd,
      env,
      confined: true,
      signal,
      log,
    });
    const configName = readText(call, "name");
    const name = configName ?? basename(command);
    const client = readText(call, "client");
    return (await serveGateway({ command, args, env, cwd, session, rules, name, configName, client, input, out, log }))
      ? 0
      : 1;
  },
};

function readMode(text: string | undefined): RelayMode | undefined {
  const mode = relayModes.find((each) => each === text);
  if (text === undefined || mode !== undefined) return mode;
  throw new SpillwayError("usage", `There is no mode ${JSON.stringify(text)}.`, {
    hint: `Use ${relayModes.join(", ")}.`,
  });
}
