/** `spillway proxy`: overflow recovery for any client whose base URL can be set. */
import { once } from "node:events";
import type { ArtifactStore } from "../../../artifacts/artifact-store.ts";
import { rejectExtraArguments } from "../arguments.ts";
import type { Command } from "../command.ts";
import { toJsonLine } from "../output.ts";

export const proxyCommand: Command = {
  usage: "proxy",
  about:
    "Listens on 127.0.0.1 and forwards requests to model providers. A request refused for its size is retried once, smaller.",
  options: {},
  details: [
    "Prints an address for each upstream. Use it as the base URL of a client (for OpenAI, append /v1).",
    "The address contains your token, which does not change (settings proxy.port, proxy.upstreams, proxy.token).",
    "Keys and headers are passed on and never stored or logged. Runs until stopped.",
  ].join("\n"),
  async run(call) {
    rejectExtraArguments(0, call);
    const { settings, ...session } = await call.session();
    const [{ openProxy }, { parseUpstreams }, { openRecovery }] = await Promise.all([
      import("../../proxy/proxy-server.ts"),
      import("../../proxy/upstreams.ts"),
      import("../../../overflow/open-recovery.ts"),
    ]);
    const upstreams = parseUpstreams(settings["proxy.upstreams"]);
    await using proxy = await openProxy({
      recovery: openRecovery({ settings, ...session }),
      upstreams,
      port: settings["proxy.port"],
      allowOrigins: settings["proxy.allow_origins"],
      token: settings["proxy.token"] === "on" ? await proxyToken(session.store) : undefined,
      bodyBytes: settings["proxy.body_bytes"],
    });
    const names = [...upstreams.keys()];
    await call.terminal.out(
      call.json
        ? toJsonLine({ url: proxy.url, upstreams: names })
        : names.map((name) => `${proxy.url}/${name}\n`).join(""),
    );
    if (!call.signal.aborted) await once(call.signal, "abort");
    return 0;
  },
};

/** The token, derived from the owner's key: the same at every start, so a client is set up once. */
async function proxyToken(store: Pick<ArtifactStore, "seal">): Promise<string> {
  return (await store.seal("spillway proxy")).slice(0, 32);
}
