/** Many clients of many owners at one server, and two servers on one store of which one is killed. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, test } from "node:test";
import { environmentName, type SettingName } from "../../src/config/settings.ts";
import { addToken } from "../../src/surfaces/serve/tokens/tokens.ts";
import { makeTemporaryFolder } from "../bodies.ts";
import { startPostgres } from "../postgres-server.ts";
import { startS3 } from "../s3-server.ts";
import { connectClient, revisions, textOf } from "../served-http.ts";
import { soakCount } from "../soak.ts";

const program = join(import.meta.dirname, "../../src/surfaces/cli/process.ts");

const CLIENTS = 100;
const OWNERS = 20;
const CALLS = soakCount({ sample: 2_000, full: 10_000 });
const MAX_RSS_BYTES = 400 * 1024 * 1024;

/** A store, and servers on it as processes. Each server has a data folder of its own if the store is elsewhere. */
async function openTeam(storeEnv?: Readonly<Record<string, string>>) {
  const folder = await makeTemporaryFolder();
  const tokens = join(folder.path, "tokens.json");
  const children: ChildProcess[] = [];
  return {
    makeToken: async (name: string, isAdmin = false) => (await addToken(tokens, { name, isAdmin }, Date.now())).token,
    async serve(...args: string[]) {
      const home = join(folder.path, storeEnv === undefined ? "home" : `home-${children.length}`);
      const env = { PATH: process.env.PATH ?? "", HOME: folder.path, SPILLWAY_HOME: home, ...storeEnv };
      const flags = ["serve", "--json", "--set", "serve.port=0", "--set", `serve.tokens=${tokens}`, ...args];
      const child = spawn(process.execPath, [program, ...flags], {
        env,
        cwd: folder.path,
        stdio: ["ignore", "pipe", "inherit"],
      });
      children.push(child);
      const [line] = await once(createInterface({ input: child.stdout }), "line");
      return { child, url: new URL(JSON.parse(line).url) };
    },
    async [Symbol.asyncDispose]() {
      for (const child of children) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        child.kill("SIGKILL");
        await once(child, "exit");
      }
      await folder[Symbol.asyncDispose]();
    },
  };
}

type Connected = Awaited<ReturnType<typeof connectClient>> & { readonly owner: string };

const refIn = (text: string): string => /af_[0-9a-f]{32}/.exec(text)?.[0] ?? assert.fail(text.slice(0, 500));
const sourceOf = (owner: string, number: number): string =>
  `data:text/plain,${`The weir of ${owner}, number ${number}. `.repeat(200)}`;

/** Fails if a reply has words of another owner. */
function checkOwn(owner: string, text: string): void {
  for (const [, other] of text.matchAll(/weir of (owner-\d+)/g)) assert.equal(other, owner, text.slice(0, 300));
}

describe("a team", () => {
  test(`of ${CLIENTS} clients and ${OWNERS} owners makes ${CALLS} calls: no error, no foreign read, little memory`, async () => {
    await using team = await openTeam();
    const admin = await team.makeToken("admin", true);
    const { url } = await team.serve();
    const owners = Array.from({ length: OWNERS }, (_, index) => `owner-${index}`);
    const tokens = new Map<string, string>();
    for (const owner of owners) tokens.set(owner, await team.makeToken(owner));
    const clients: Connected[] = [];
    for (let index = 0; index < CLIENTS; index++) {
      const owner = owners[index % OWNERS] ?? "";
      const revision = revisions[Math.floor(index / OWNERS) % 2] ?? "2026-07-28";
      clients.push({ ...(await connectClient(url.href, tokens.get(owner) ?? "", revision)), owner });
    }
    const refs = new Map<string, string>();
    let [calls, foreign] = [0, 0];

    async function callOnce({ client, owner }: Connected, turn: number): Promise<void> {
      calls++;
      const own = refs.get(owner);
      const others = [...refs].filter(([name]) => name !== owner);
      const [, stolen] = others[calls % Math.max(1, others.length)] ?? [];
      if (turn % 4 === 3 && stolen !== undefined) {
        foreign++;
        const refused = await client.callTool({ name: "read_artifact", arguments: { artifact_ref: stolen } });
        assert.equal(refused.isError, true);
        assert.doesNotMatch(JSON.stringify(refused), /weir of owner/);
      } else if (turn % 4 > 0 && own !== undefined) {
        const read = await client.callTool({ name: "read_artifact", arguments: { artifact_ref: own, offset: 100 } });
        assert.notEqual(read.isError, true, textOf(read));
        checkOwn(owner, textOf(read));
      } else {
        const page = await client.callTool({ name: "fetch_content", arguments: { url: sourceOf(owner, turn % 12) } });
        assert.notEqual(page.isError, true, textOf(page));
        checkOwn(owner, textOf(page));
        refs.set(owner, refIn(textOf(page)));
      }
    }

    await Promise.all(
      clients.map(async (connected, index) => {
        for (let turn = 0; turn < CALLS / CLIENTS; turn++) await callOnce(connected, turn + index);
      }),
    );
    assert.equal(calls, CALLS);
    assert.ok(foreign > CALLS / 10, `${foreign} tries to read a foreign ref`);
    const response = await fetch(new URL("/metrics", url), { headers: { authorization: `Bearer ${admin}` } });
    const metrics = await response.text();
    const rssBytes = Number(/^process_resident_memory_bytes (\d+)/m.exec(metrics)?.[1]);
    console.log(`${calls} calls, ${foreign} foreign reads refused, RSS ${Math.round(rssBytes / 1024 / 1024)} MiB`);
    assert.ok(rssBytes > 0 && rssBytes < MAX_RSS_BYTES, `${rssBytes} bytes`);
    assert.doesNotMatch(metrics, /status="5\d\d"/);
    for (const { client } of clients) await client.close();
  });

  test("on one disk is served by one server when the other is killed", () => loseServer());

  test("on PostgreSQL and S3 is served by one server when the other is killed", async (context) => {
    const [postgres, s3] = [await startPostgres(), await startS3()];
    try {
      const missing = [postgres, s3].find((server) => typeof server === "string");
      if (typeof postgres === "string" || typeof s3 === "string") return context.skip(String(missing));
      const settings = { ...s3.makePlace(), "store.catalogue": (await postgres.makeDatabase()).url };
      await loseServer(
        Object.fromEntries(
          Object.entries(settings)
            .filter(([name, value]) => name.startsWith("store.") && typeof value === "string")
            .map(([name, value]) => [environmentName(name as SettingName), String(value)]),
        ),
      );
    } finally {
      for (const server of [postgres, s3]) if (typeof server !== "string") await server[Symbol.asyncDispose]();
    }
  });
});

/** Two servers behind a plain reverse proxy answer each other's sessions and refs; then one is killed. */
async function loseServer(storeEnv?: Readonly<Record<string, string>>): Promise<void> {
  await using team = await openTeam(storeEnv);
  const targets: URL[] = [];
  let turn = 0;
  await using proxy = await openProxy(() => targets[turn++ % targets.length] ?? assert.fail());
  const hosts = ["--set", `serve.hosts=127.0.0.1:${proxy.port}`];
  const [first, second] = [await team.serve(...hosts), await team.serve(...hosts)];
  targets.push(first.url, second.url);
  const token = await team.makeToken("ann");
  const url = `http://127.0.0.1:${proxy.port}/mcp`;
  await using session = await connectClient(url, token, "2025-11-25");
  await using stateless = await connectClient(url, token, "2026-07-28");
  const refs: string[] = [];
  for (let number = 0; number < 20; number++) {
    const { client } = number % 2 === 0 ? session : stateless;
    const page = await client.callTool({ name: "fetch_content", arguments: { url: sourceOf("ann", number) } });
    refs.push(refIn(textOf(page)));
  }
  first.child.kill("SIGKILL");
  await once(first.child, "exit");
  targets.shift();
  for (const [number, artifact_ref] of refs.entries())
    for (const { client } of [session, stateless]) {
      const read = await client.callTool({ name: "read_artifact", arguments: { artifact_ref } });
      assert.match(textOf(read), new RegExp(`number ${number}\\.`));
    }
}

/** Passes each request to the next server, with nothing changed. */
async function openProxy(choose: () => URL) {
  const server = createServer((request, response) => {
    const { method, url, headers } = request;
    const passed = send({ host: "127.0.0.1", port: choose().port, method, path: url, headers });
    passed.on("response", (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      response.flushHeaders();
      reply.pipe(response);
    });
    passed.on("error", () => response.destroy());
    response.on("close", () => passed.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
