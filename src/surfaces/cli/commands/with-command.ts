/** `spillway with <client>`: runs a client whose requests go through the proxy, for as long as it runs. */
import { formatSavedLine } from "../../../answer/overflow-reply.ts";
import { nearestName } from "../../../config/suggest-name.ts";
import { SpillwayError } from "../../../errors.ts";
import { clip } from "../../../system/safe-names.ts";
import type { Launch, ProxyUrls } from "../../proxy/clients/launcher.ts";
import { launchers } from "../../proxy/clients/launchers.ts";
import { makeClientFolder, prependPath, runClient } from "../../proxy/run-client.ts";
import { openUserProxy } from "../../proxy/user-proxy.ts";
import { rejectEmptyArgument } from "../arguments.ts";
import type { Call, Command } from "../command.ts";
import { readText } from "../options.ts";
import { toJsonLine } from "../output.ts";

export const withCommand: Command = {
  usage: "with [options] <client> [arguments of the client]",
  examples: [
    ["with claude", "Claude Code, with overflow recovery"],
    ["with codex exec 'fix the tests'", "any arguments of the client"],
  ],
  about:
    "Runs a client with overflow recovery: a proxy is started for it alone, and ends with it. None of your files change.",
  words: launchers.map(({ name }) => name),
  takesCommandLine: true,
  options: {
    "openai-env": {
      type: "string",
      value: "NAME",
      about: "For any other program: the environment variable from which it takes its OpenAI base URL.",
    },
    "anthropic-env": {
      type: "string",
      value: "NAME",
      about: "The same for its Anthropic base URL.",
    },
    quiet: { type: "boolean", about: "Do not print what was saved at the end." },
  },
  details: [
    `Clients: ${launchers.map(({ name, title }) => (name === title ? name : `${name} (${title})`)).join(", ")}.`,
    "Any other program that uses OpenAI's or Anthropic's API: spillway with --openai-env OPENAI_BASE_URL my-agent.",
    "A base URL that is already set (ANTHROPIC_BASE_URL, OPENAI_BASE_URL) stays the place that requests go to.",
    "Options come before the client's name; everything after the name belongs to the client.",
  ].join("\n"),
  async run(call) {
    const [command, ...args] = call.args;
    if (command === undefined) throw usageError("No client was named.");
    rejectEmptyArgument(command, call);
    const { env, cwd } = call.terminal;
    const prepare = await findPreparation(call, command);
    const session = await call.session();
    await using folder = await makeClientFolder();
    await using proxy = await openUserProxy({ session, port: 0, hasToken: true, env });
    const launch = await prepare(proxy.urls, { env, folder: folder.path });
    const home = session.settings.home === null ? {} : { SPILLWAY_HOME: session.settings.home };
    const childEnv = { ...env, ...home, ...launch.env, PATH: prependPath(folder.path, env.PATH) };
    const status = await runClient({ command, args: [...launch.args, ...args], cwd, env: childEnv });
    if (call.values.quiet !== true) noteSavings(call, proxy.tally());
    return status;
  },
};

type Prepare = (urls: ProxyUrls, context: { env: Call["terminal"]["env"]; folder: string }) => Promise<Launch>;

/** By the variables that the user names, else by what is known of the client. */
async function findPreparation(call: Call, command: string): Promise<Prepare> {
  const [openaiVariable, anthropicVariable] = [readText(call, "openai-env"), readText(call, "anthropic-env")];
  for (const name of [openaiVariable, anthropicVariable]) if (name !== undefined) requireVariable(name);
  if (openaiVariable !== undefined || anthropicVariable !== undefined) {
    return async ({ openai, anthropic }) => ({
      env: {
        ...(openaiVariable === undefined ? {} : { [openaiVariable]: openai }),
        ...(anthropicVariable === undefined ? {} : { [anthropicVariable]: anthropic }),
      },
      args: [],
    });
  }
  const name = command.replace(/^.*[\\/]/, "").replace(/\.(?:cmd|exe)$/i, "");
  const launcher = launchers.find((each) => each.name === name);
  if (launcher === undefined) throw unknownClient(name);
  return launcher.prepare;
}

function requireVariable(name: string): void {
  if (/^[A-Za-z_]\w*$/.test(name)) return;
  throw usageError(`${JSON.stringify(clip(name))} is not the name of an environment variable.`);
}

function unknownClient(name: string): SpillwayError {
  const names = launchers.map((launcher) => launcher.name);
  const nearest = nearestName(name, names);
  const suggestion = nearest === undefined ? "" : `Did you mean ${nearest}? `;
  return new SpillwayError("usage", `${JSON.stringify(clip(name))} is not a client that spillway knows.`, {
    hint: `${suggestion}Say where it takes its base URL from, for example: spillway with --openai-env OPENAI_BASE_URL ${clip(name)}. Known: ${names.join(", ")}.`,
  });
}

function usageError(sentence: string): SpillwayError {
  return new SpillwayError("usage", sentence, {
    hint: "For example: spillway with claude, or spillway with --openai-env OPENAI_BASE_URL my-agent.",
  });
}

function noteSavings({ json, terminal }: Call, tally: Parameters<typeof formatSavedLine>[0]): void {
  const { recovered, failed, savedBytes } = tally;
  const fields = { requests_recovered: recovered, requests_failed: failed, bytes_kept_out: savedBytes };
  terminal.note(json ? toJsonLine(fields) : `${formatSavedLine(tally)}\n`);
}
