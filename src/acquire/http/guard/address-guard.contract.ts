/** What every guard must prevent, tested through the whole HTTP client with a dialler that reaches only local servers. */
import { writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { makeTemporaryFolder } from "../../../../test/bodies.ts";
import { makeCertificate } from "../../../../test/certificate.ts";
import { startServer } from "../../../../test/server.ts";
import { defaultSettings } from "../../../config/settings.ts";
import { SpillwayError } from "../../../errors.ts";
import { openHttpClient } from "../lazy-client.ts";
import type { Guard } from "./address-guard.ts";

/** Hosts as a URL may spell them; none may be reached. */
const forbiddenHosts = [
  ..."127.0.0.1 127.1 127.0.0.1. 2130706433 0x7f000001 0x7F.1 0177.0.0.1 017700000001 0177.0x0.0.1".split(" "),
  ..."0 0.0.0.0 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 100.100.100.200 192.0.0.192".split(" "),
  ..."169.254.169.254 2852039166 0xa9fea9fe 0251.0376.0251.0376 168.63.129.16 192.0.2.1 192.88.99.1".split(" "),
  ..."198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255 ①②⑦.⓪.⓪.① 127。0。0。1".split(" "),
  ..."[::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:a9fe:a9fe] [::127.0.0.1]".split(
    " ",
  ),
  ..."[::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::a00:1] [64:ff9b::8.8.8.8] [64:ff9b:1::1]".split(" "),
  ..."[2002:7f00:1::] [2002:a9fe:a9fe::1] [2002:808:808::1] [2001::1] [2001:0:0:0:0:0:80ff:fffe]".split(" "),
  ..."[fc00::1] [fd00:ec2::254] [fe80::1] [fec0::1] [ff02::1] [2001:db8::1] [2001:2::1] [3fff::1] [100::1]".split(" "),
  ..."[5f00::1] [4000::1] localhost localhost. LOCALHOST LocalHost. a.localhost a.localhost.".split(" "),
];

/** Answers of a name server; none may be dialled. */
const forbiddenAnswers = [
  ..."127.0.0.1 10.1.2.3 172.20.0.1 192.168.0.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 ::1 ::".split(" "),
  ..."::ffff:10.0.0.1 ::ffff:7f00:1 64:ff9b::10.0.0.1 2002:a00:1::1 2001:0:1::1 fd00::1 fe80::1%eth0 ff02::1".split(
    " ",
  ),
];

/** Addresses of the public internet. */
const globalAddresses = ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"];
const homeAddress = "93.184.216.34";

/** Describes each request that the guard wrongly allowed or refused; yields nothing for a correct guard. */
export async function* findBreaches(guard: Guard): AsyncGenerator<string> {
  await using world = await openTestWorld(guard);
  for (const scheme of ["https", "http"]) {
    for (const address of globalAddresses) {
      const host = address.includes(":") ? `[${address}]` : address;
      yield* world.mustDial(`${scheme}://${host}:8443/`, {}, address);
      yield* world.mustDial(`${scheme}://good.example:8443/`, { "good.example": [address] }, address);
    }
    yield* world.mustRefuse(`${scheme}://good.example:6379/`, { "good.example": [homeAddress] });
    for (const answer of forbiddenAnswers) {
      yield* world.mustRefuse(`${scheme}://evil.example/`, { "evil.example": [answer] });
      yield* world.mustRefuse(`${scheme}://evil.example/`, { "evil.example": [homeAddress, answer] });
      yield* world.mustRefuse(`${scheme}://home.example/to?${scheme}://evil.example/`, { "evil.example": [answer] });
    }
    for (const host of forbiddenHosts) {
      yield* world.mustRefuse(`${scheme}://${host}/`, {});
      yield* world.mustRefuse(`${scheme}://home.example/to?${scheme}://${host}/`, {});
    }
  }
}

type HostAddresses = Readonly<Record<string, readonly string[]>>;

/** One host is a local server that redirects; every other dialled address is recorded and refused. */
async function openTestWorld(guard: Guard) {
  const folder = await makeTemporaryFolder();
  const certificate = makeCertificate(["home.example"]);
  const plainServer = await startServer(redirectToQuery);
  const secure = await startServer(redirectToQuery, certificate);
  const caFile = join(folder.path, "ca.pem");
  await writeFile(caFile, certificate.cert);

  async function visit(url: string, names: HostAddresses) {
    const dialledAddresses: string[] = [];
    const settings = { ...defaultSettings, "network.tries": 1, "network.ca_file": caFile };
    const dialler = {
      resolve: async (host: string) => (host === "home.example" ? [homeAddress] : (names[host] ?? [])),
      async dial(address: string, port: number) {
        const server = port === 80 ? plainServer : port === 443 ? secure : undefined;
        if (address === homeAddress && server && dialledAddresses.length === 0 && url.includes("/to?")) {
          return connect(server.port, "127.0.0.1");
        }
        dialledAddresses.push(address);
        throw Object.assign(new Error("not connected"), { code: "ECONNREFUSED" });
      },
    };
    await using client = openHttpClient({ settings, env: {}, dialler, guard });
    const signal = new AbortController().signal;
    const error = await client.open(new URL(url), { prefers: "markdown", signal }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    return { dialledAddresses, error };
  }

  return {
    async *mustRefuse(url: string, names: HostAddresses): AsyncGenerator<string> {
      const { dialledAddresses, error } = await visit(url, names);
      const refused = error instanceof SpillwayError && error.code === "network_refused";
      if (dialledAddresses.length > 0) yield `${url} (${Object.values(names)}) dialled ${dialledAddresses}`;
      else if (!refused) yield `${url} (${Object.values(names)}) was not refused by the guard: ${error}`;
    },
    async *mustDial(url: string, names: HostAddresses, address: string): AsyncGenerator<string> {
      const { dialledAddresses } = await visit(url, names);
      if (dialledAddresses.join() !== address) yield `${url} should dial ${address} and dialled ${dialledAddresses}`;
    },
    async [Symbol.asyncDispose]() {
      await plainServer[Symbol.asyncDispose]();
      await secure[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function redirectToQuery({ url = "" }: IncomingMessage, response: ServerResponse): void {
  response.writeHead(302, { location: url.slice(url.indexOf("?") + 1) }).end();
}
