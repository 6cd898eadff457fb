/** `spillway serve`: the tools over HTTP, for the clients of a team. */
import { once } from "node:events";
import { boundYoungGeneration } from "../../../system/young-generation.ts";
import type { RunningServer } from "../../serve/serve.ts";
import { checkArguments, readFolders } from "../arguments.ts";
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
    "Also serves the overflow proxy (--set serve.llm=on) and servers of gateway.jsonc (--set serve.servers=NAME).",
    "Another address needs --set serve.tls=in_front, --set serve.hosts=NAME and a token. docs/serve.md explains it.",
  ].join("\n"),
  async run(call) {
    checkArguments(0, call);
    const { terminal, signal, json } = call;
    const localFolders = await readFolders(call, "files");
    const session = await call.session();
    const { openServe } = await import("../../serve/serve.ts");
    const log = (line: string) => terminal.note(`spillway serve: ${line}\n`);
    using _bound = boundYoungGeneration();
    const server = await openServe({ session, config: call.config, localFolders, log });
    const { localToken: token, signInUrl } = server;
    const url = `${server.url}/mcp`;
    try {
      if (json) await terminal.out(toJsonLine(describe(server)));
      else await terminal.out(`${url}\n`);
      if (!json && token !== undefined) {
        const { listPasteLines } = await import("../../serve/paste-lines.ts");
        const lines = listPasteLines({ url, token }).join("\n");
        terminal.note(
          `\nYour token: ${token}\nSign in with a browser (once, within ten minutes): ${signInUrl}\n\n${lines}\n`,
        );
      }
      if (!json) terminal.note(await describeServices(server));
      if (!signal.aborted) await once(signal, "abort");
      log("finishing what runs; interrupt again to stop at once");
    } finally {
      await server.stop();
    }
    return 0;
  },
};

/** What programs read. */
function describe(server: RunningServer): object {
  const { url, localToken: token, signInUrl, llm } = server;
  const servers = listServers(server);
  return {
    url: `${url}/mcp`,
    ...(token && { token, sign_in_url: signInUrl }),
    ...(llm && { llm_urls: Object.fromEntries(llm.upstreams.map((name) => [name, `${llm.url}/${name}`])) }),
    ...(servers.length > 0 && { server_urls: Object.fromEntries(servers) }),
  };
}

const listServers = ({ url, serverPaths }: RunningServer): [string, string][] =>
  [...serverPaths].map(([name, path]) => [name || "all", `${url}${path}`]);

/** The addresses of what is served beside our own tools; nothing if that is off. */
async function describeServices(server: RunningServer): Promise<string> {
  const { llm, localToken } = server;
  const servers = listServers(server).map(([name, url]) => `${name}: ${url}\n`);
  const wrapped =
    servers.length === 0 ? "" : `\nWrapped servers, to be connected in the same way:\n${servers.join("")}`;
  if (llm === undefined) return wrapped;
  const addresses = llm.upstreams.map((name) => `${llm.url}/${name}`);
  if (localToken === undefined) return `\nProviders: ${addresses.join(", ")}\n${wrapped}`;
  const [{ listPasteLines }, { urlsOf }] = await Promise.all([
    import("../../proxy/paste-lines.ts"),
    import("../../proxy/user-proxy.ts"),
  ]);
  const lines = await listPasteLines(urlsOf(llm.url), addresses);
  return `${wrapped}\nProviders through this server, with your own key for them:\n${lines.join("\n")}\n`;
}
