/** The worked example of docs/scaling.md on loopback: three servers, one PostgreSQL, one bucket, a load balancer. */
import assert from "node:assert/strict";
import { copyFile, mkdir, readFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { after, test } from "node:test";
import { environmentName, settingNames } from "../src/config/settings.ts";
import { startPostgres } from "./postgres-server.ts";
import { startS3 } from "./s3-server.ts";
import { connectClient, openServedHttp, revisions, textOf } from "./served-http.ts";
import { listen } from "./tcp-relay.ts";

const postgres = await startPostgres();
const s3 = await startS3();
after(async () => {
  for (const server of [postgres, s3]) if (typeof server !== "string") await server[Symbol.asyncDispose]();
});
const missing = [postgres, s3].find((each) => typeof each === "string");
const skip = typeof missing === "string" ? missing : false;

/** Sends each request to the next server that is there, as the load balancer of the example does. */
async function startBalancer(ports: number[]) {
  let next = 0;
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const port = ports[next++ % ports.length];
    const passed = request({ host: "127.0.0.1", port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    incoming.pipe(passed);
  });
  const port = await listen(server);
  return {
    port,
    remove: (gone: number) => ports.splice(ports.indexOf(gone), 1),
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

test("the variables of the example exist", async () => {
  const text = await readFile(join(import.meta.dirname, "..", "docs", "scaling.md"), "utf8");
  const names = [...text.matchAll(/^ *export (SPILLWAY_\w+)=/gm)].map(([, name]) => name);
  const known = settingNames.map(environmentName);
  assert.ok(names.length >= 7);
  for (const name of names) assert.ok(known.includes(name ?? ""), name);
});

for (const revision of revisions) {
  test(`three servers behind a balancer answer each other's refs, also after one has ended: ${revision}`, {
    skip,
  }, async () => {
    assert.ok(typeof postgres !== "string" && typeof s3 !== "string");
    const ports: number[] = [];
    await using balancer = await startBalancer(ports);
    const settings = {
      ...s3.makePlace(),
      "store.catalogue": (await postgres.makeDatabase()).url,
      "serve.hosts": [`127.0.0.1:${balancer.port}`],
    };
    await using one = await openServedHttp({ settings });
    await using two = await openServedHttp({ settings });
    await using three = await openServedHttp({ settings });
    const token = await one.makeToken({ name: "ann" });
    for (const { home } of [two, three]) {
      await mkdir(home, { recursive: true });
      await copyFile(join(one.home, "tokens.json"), join(home, "tokens.json"));
    }
    ports.push(one.port, two.port, three.port);
    await using connection = await connectClient(`http://127.0.0.1:${balancer.port}/mcp`, token, revision);
    const call = async (name: string, input: Record<string, unknown>) =>
      textOf(await connection.client.callTool({ name, arguments: input }));
    const refs: string[] = [];
    for (let n = 0; n < 3; n++) {
      const text = await call("fetch_content", { url: `data:text/plain,the text of call ${n}` });
      refs.push(/af_[0-9a-f]{32}/.exec(text)?.[0] ?? assert.fail(text));
    }
    balancer.remove(three.port);
    await three.stop();
    for (const [n, ref] of [...refs, ...refs].entries()) {
      assert.match(await call("read_artifact", { artifact_ref: ref }), new RegExp(`the text of call ${n % 3}`));
    }
  });
}
