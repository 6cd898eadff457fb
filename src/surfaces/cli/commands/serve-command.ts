/** `spillway serve`: the tools over HTTP, for the clients of a team. */
import { once } from "node:events";
import { resolve } from "node:path";
import { rejectExtraArguments } from "../arguments.ts";
import type { Command } from "../command.ts";
import { toJsonLine } from "../output.ts";

export const serveCommand: Command = {
  usage: "serve",
  examples: [
    ["serve", "for clients of this machine"],
    ["serve --files ~/notes --set serve.port=8500", "the printed token may read files in one folder"],
  ],
  about: "Serves the tools to many clients over HTTP (MCP), each owner with its own artifacts, until it is stopped.",
  options: {
    files: {
      type: "string",
      multiple: true,
      value: "DIR",
      about: "A folder whose files the printed token may read by path; may be repeated. Default: none.",
    },
  },
  details: [
    "Listens on 127.0.0.1 (settings serve.address, serve.port). Prints its address, a token of your own, which does not",
    "change, a link that signs a browser in, and lines ready to paste for each client. spillway token add NAME makes",
    "tokens for others.",
    "Another address needs --set serve.tls=in_front, --set serve.hosts=NAME and a token. docs/serve.md explains it.",
  ].join("\n"),
  async run(call) {
    rejectExtraArguments(0, call);
    const { terminal, values, signal, json } = call;
    const session = await call.session();
    const { openServe } = await import("../../serve/serve.ts");
    const localFolders = toTexts(values.files).map((folder) => resolve(terminal.cwd, folder));
    const log = (line: string) => terminal.note(`spillway serve: ${line}\n`);
    const server = await openServe({ session, config: call.config, localFolders, log });
    const { localToken: token, signInUrl } = server;
    const url = `${server.url}/mcp`;
    try {
      if (json) await terminal.out(toJsonLine({ url, ...(token && { token, sign_in_url: signInUrl }) }));
      else await terminal.out(`${url}\n`);
      if (!json && token !== undefined) {
        const { listPasteLines } = await import("../../serve/paste-lines.ts");
        const lines = listPasteLines({ url, token }).join("\n");
        terminal.note(
          `\nYour token: ${token}\nSign in with a browser (once, within ten minutes): ${signInUrl}\n\n${lines}\n`,
        );
      }
      if (!signal.aborted) await once(signal, "abort");
      log("finishing what runs; interrupt again to stop at once");
    } finally {
      await server.stop();
    }
    return 0;
  },
};

const toTexts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
