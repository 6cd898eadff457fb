/** `spillway proxy`: recovery for any client that lets its base URL be changed. */
import { once } from "node:events";
import type { ArtifactStore } from "../../../artifacts/artifact-store.ts";
import { rejectExtraArguments } from "../arguments.ts";
import type { Command } from "../command.ts";
import { toJsonLine } from "../output.ts";

export const proxyCommand: Command = {
  usage: "proxy",
  about:
    "Listens on 127.0.0.1 and passes requests to model providers; one refused for its size is sent again, smaller.",
  options: {},
  details: [
    "Prints an address for each upstream; point a client at it (for OpenAI with /v1 behind it).",
    "The address holds a token of yours, which stays the same (settings proxy.port, proxy.upstreams, proxy.token).",
    "Keys and headers are passed on and never stored or logged. It runs until it is stopped.",
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

/** The same at every start, so that a client is set up once; only this owner's key makes it. */
async function proxyToken(store: Pick<ArtifactStore, "seal">): Promise<string> {
  return (await store.seal("spillway proxy")).slice(0, 32);
}
