/** `spillway gateway`: another MCP server behind a relay that bounds its results. */
import { basename } from "node:path";
import { settingsDespiteProblems } from "../../../config/load-config.ts";
import { SpillwayError } from "../../../errors.ts";
import { openSession } from "../../../session/session.ts";
import { serveGateway } from "../../gateway/serve-gateway.ts";
import type { Command } from "../command.ts";
import { readText } from "../options.ts";

const modes = ["bound", "annotate", "off"] as const;

export const gatewayCommand: Command = {
  usage: "gateway -- <command> [args...]",
  about: "Starts an MCP server and relays its messages. A result that is too large becomes a first page with a ref.",
  options: {
    mode: {
      type: "string",
      value: modes.join("|"),
      about: "bound (default): large results become a first page. annotate: all passes, with a ref. off: all passes.",
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
    const mode = modes.find((each) => each === (readText(call, "mode") ?? "bound"));
    if (mode === undefined)
      throw new SpillwayError("usage", "That is no mode of gateway.", { hint: `Use ${modes.join(", ")}.` });
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
    const name = readText(call, "name") ?? basename(command);
    const client = readText(call, "client");
    return (await serveGateway({ command, args, env, cwd, session, mode, name, client, input, out, log })) ? 0 : 1;
  },
};
