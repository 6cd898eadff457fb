/** A proxy in a process of its own, so that its cost can be measured: a plain one on `node:http`, or ours. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { defaultSettings } from "../src/config/settings.ts";
import { openRecovery } from "../src/overflow/open-recovery.ts";
import { openSession } from "../src/session/session.ts";
import { openProxy } from "../src/surfaces/proxy/proxy-server.ts";
import { parseUpstreams } from "../src/surfaces/proxy/upstreams.ts";
import { plainProxy } from "./overflow-plain-proxy.ts";

const [kind = "", upstreamPort = ""] = process.argv.slice(2);

async function openSpillway(): Promise<string> {
  const session = await openSession({ inMemory: true, settings: defaultSettings });
  const upstreams = parseUpstreams([`sim=http://127.0.0.1:${upstreamPort}`]);
  const recovery = openRecovery(session);
  const folders = session.spoolFolders;
  const proxy = await openProxy({ recovery, upstreams, port: 0, allowOrigins: [], bodyBytes: 2 ** 26, folders });
  return `${proxy.url}/sim`;
}

async function openPlain(): Promise<string> {
  const server = createServer(plainProxy(Number(upstreamPort))).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

process.send?.({ url: kind === "plain" ? await openPlain() : await openSpillway() });
