/** `spillway proxy`: overflow recovery for any client whose base URL can be set. */
import { once } from "node:events";
import { rejectExtraArguments } from "../arguments.ts";
import type { Command } from "../command.ts";
import { toJsonLine } from "../output.ts";

export const proxyCommand: Command = {
  usage: "proxy",
  examples: [
    ["proxy", "addresses to use as base URLs"],
    ["proxy --set proxy.port=8787", "on another port"],
  ],
  about:
    "Listens on 127.0.0.1 and forwards requests to model providers. A request refused for its size is retried once, smaller.",
  options: {},
  details: [
    "Prints an address for each upstream. Use it as the base URL of a client (for OpenAI, append /v1). On standard error it",
    "prints lines ready to paste for each client. spillway with <client> does all of this for one client.",
    "The address contains your token, which does not change (settings proxy.port, proxy.upstreams, proxy.token).",
    "Keys and headers are passed on and never stored or logged. Runs until stopped.",
  ].join("\n"),
  async run(call) {
    rejectExtraArguments(0, call);
    const session = await call.session();
    const { settings } = session;
    const { openUserProxy } = await import("../../proxy/user-proxy.ts");
    await using proxy = await openUserProxy({
      session,
      port: settings["proxy.port"],
      hasToken: settings["proxy.token"] === "on",
    });
    const { url, upstreams } = proxy;
    const names = [...upstreams.keys()];
    await call.terminal.out(
      call.json ? toJsonLine({ url, upstreams: names }) : names.map((name) => `${url}/${name}\n`).join(""),
    );
    const { listPasteLines } = await import("../../proxy/paste-lines.ts");
    const addresses = names.map((name) => `${url}/${name}`);
    if (!call.json) call.terminal.note(["", ...(await listPasteLines(proxy.urls, addresses)), ""].join("\n"));
    if (!call.signal.aborted) await once(call.signal, "abort");
    return 0;
  },
};
