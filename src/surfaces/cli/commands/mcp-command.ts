/** `spillway mcp`: serves the tools to an agent over standard input and output. */
import { clientRows, findClientProfile, noClient } from "../../../config/clients.ts";
import { settingsDespiteProblems } from "../../../config/load-config.ts";
import { nearestName } from "../../../config/suggest-name.ts";
import { SpillwayError } from "../../../errors.ts";
import { openSession } from "../../../session/session.ts";
import { clip } from "../../../system/safe-names.ts";
import { boundYoungGeneration } from "../../../system/young-generation.ts";
import { serveMcp } from "../../mcp/serve-stdio.ts";
import { checkArguments } from "../arguments.ts";
import type { Command } from "../command.ts";
import { readText } from "../options.ts";

export const mcpCommand: Command = {
  usage: "mcp",
  examples: [
    ["mcp", "what a client starts"],
    ["mcp --client codex", "with replies that fit Codex"],
  ],
  about: "Serves the tools to an agent over the Model Context Protocol, until standard input ends.",
  options: {
    client: {
      type: "string",
      value: "NAME",
      about: "Fit replies to this client, not to the one that connects; none: to no client.",
    },
  },
  details: "docs/mcp.md shows how to add it to a client. Standard output carries the protocol only.",
  toleratesBadConfig: true,
  async run(call) {
    checkArguments(0, call);
    const client = requireKnownClient(readText(call, "client"));
    const { config, terminal, signal } = call;
    const { cwd, env, stdin, out } = terminal;
    const settings = settingsDespiteProblems(config);
    const log = (sentence: string) => terminal.note(`spillway mcp: ${sentence}\n`);
    using _bound = boundYoungGeneration();
    await using session = await openSession({ settings, cwd, env, confined: true, signal, log });
    const { unread } = await serveMcp({ session, config, client }, { input: stdin, out, log, signal });
    if (unread) terminal.dropOutput?.();
    return 0;
  },
};

/** Throws for an unknown client: replies would silently not be fitted to it. */
function requireKnownClient(name: string | undefined): string | undefined {
  if (name === undefined || findClientProfile(name)) return name;
  const names = clientRows.map((each) => each.name);
  const nearest = nearestName(name, names);
  throw new SpillwayError("usage", `The limits of the client ${JSON.stringify(clip(name))} are not known.`, {
    hint: `${nearest === undefined ? "" : `Did you mean ${nearest}? `}Known clients: ${names.join(", ")}. Use ${noClient.name} for no limit.`,
  });
}
