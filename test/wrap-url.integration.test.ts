/** `spillway wrap` and `unwrap` of servers with a URL, in the form of every client that has such entries. */
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { describe, test } from "node:test";
import { listServers, openClientConfig } from "../src/surfaces/clients/client-config.ts";
import { clients } from "../src/surfaces/clients/clients.ts";
import { findClient } from "../src/surfaces/clients/find-clients.ts";
import { readWrappedUrl } from "../src/surfaces/clients/own-command.ts";
import { openCli } from "./cli.ts";

const URL = "https://docs.example/mcp";
const KEY = "Bearer key-0123456789";

/** The config of each client, with a comment and a field that is not ours, and the part of it that says how it is reached. */
const configs: Readonly<Record<string, string>> = {
  "claude-code": `{ "mcpServers": { "docs": { "type": "http", "url": "${URL}", "headers": { "Authorization": "${KEY}" }, "alwaysLoad": true } } }`,
  codex: `# mine\n[mcp_servers.docs]\nurl = "${URL}"\nstartup_timeout_sec = 20\n\n[mcp_servers.docs.http_headers]\nAuthorization = "${KEY}"\n`,
  cursor: `{\n  // mine\n  "mcpServers": {\n    "docs": { "url": "${URL}", "headers": { "Authorization": "${KEY}" } }\n  }\n}\n`,
  vscode: `{ "servers": { "docs": { "type": "http", "url": "${URL}", "headers": { "Authorization": "${KEY}" } } } }`,
  copilot: `{ "mcpServers": { "docs": { "type": "http", "url": "${URL}", "headers": { "Authorization": "${KEY}" }, "tools": ["*"] } } }`,
  gemini: `{ "mcpServers": { "docs": { "httpUrl": "${URL}", "headers": { "Authorization": "${KEY}" }, "trust": true } } }`,
  qwen: `{ "mcpServers": { "docs": { "httpUrl": "${URL}", "headers": { "Authorization": "${KEY}" } } } }`,
  opencode: `{ "mcp": { "docs": { "type": "remote", "url": "${URL}", "headers": { "Authorization": "${KEY}" }, "enabled": true } } }`,
  pi: `{ "mcpServers": { "docs": { "url": "${URL}", "headers": { "Authorization": "${KEY}" } } } }`,
  zed: `{ "context_servers": { "docs": { "url": "${URL}", "headers": { "Authorization": "${KEY}" } } } }`,
  goose: `# mine\nextensions:\n  docs:\n    name: docs\n    type: streamable_http\n    enabled: true\n    uri: ${URL}\n    headers:\n      Authorization: ${KEY}\n    timeout: 300\n`,
  cline: `{ "mcpServers": { "docs": { "type": "streamableHttp", "url": "${URL}", "headers": { "Authorization": "${KEY}" }, "disabled": false } } }`,
  continue: `# mine\nmcpServers:\n  - name: docs\n    type: streamable-http\n    url: ${URL}\n    requestOptions:\n      headers:\n        Authorization: ${KEY}\n`,
  windsurf: `{ "mcpServers": { "docs": { "serverUrl": "${URL}", "headers": { "Authorization": "${KEY}" } } } }`,
};

/** A home folder in which one client has this config. */
async function openHome(id: string, before: string) {
  const cli = await openCli();
  const client = findClient(id);
  const machine = { env: {}, platform: process.platform, home: cli.userHome, cwd: cli.work };
  const path = client.userFiles(machine)[0] ?? assert.fail();
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, before);
  const open = () => openClientConfig(client, "user", machine);
  return {
    ...cli,
    path,
    wrap: (...args: string[]) => cli.run(["wrap", "--client", id, ...args]),
    unwrap: (...args: string[]) => cli.run(["unwrap", "--client", id, ...args]),
    text: () => readFile(path, "utf8"),
    value: async () => (await open()).value,
    entries: async () => listServers(await open()),
  };
}

describe("every client with URLs", () => {
  test("is in the table", () => {
    const withUrls = clients.filter(({ shape }) => shape.url !== undefined).map(({ id }) => id);
    assert.deepEqual(withUrls.toSorted(), Object.keys(configs).toSorted());
  });

  for (const [id, before] of Object.entries(configs)) {
    test(`${id}: a server with a URL is wrapped with its headers, and the file is restored byte for byte`, async () => {
      await using home = await openHome(id, before);
      const { status, err, out } = await home.wrap("--yes");
      assert.deepEqual([status, err], [0, ""], out);
      assert.ok(!out.includes(KEY), "the key is not shown");
      const [entry] = await home.entries();
      const expected = { url: URL, transport: "http", headers: { Authorization: KEY }, variableHeaders: {} };
      assert.deepEqual(readWrappedUrl(entry?.server), expected, await home.text());
      const { args = [] } = entry?.server ?? {};
      const own = ["--name=docs", `--url=${URL}`, "--header=Authorization=$MCP_HEADER_1"];
      assert.deepEqual(args.slice(args.indexOf("gateway") + 1), own, "the key is not on the command line");
      assert.equal(entry?.remote, undefined, "the client does not reach it by the URL any more");
      assert.match((await home.wrap("--yes")).out, /nothing to change/);
      await home.unwrap("--yes");
      assert.equal(await home.text(), before);
    });

    test(`${id}: taken out of a file that has changed since, the entry is what it was`, async () => {
      await using home = await openHome(id, before);
      const value = await home.value();
      await home.wrap("--yes");
      await writeFile(home.path, `${await home.text()}\n`);
      assert.equal((await home.unwrap("--yes")).status, 0);
      assert.deepEqual(await home.value(), value);
    });
  }
});

describe("servers with a URL", () => {
  test("without a key are wrapped only by name; those with a login never", async () => {
    const mcpServers = {
      open: { url: "https://open.example/mcp" },
      local: { url: "http://127.0.0.1:9/mcp" },
      login: { url: "https://login.example/mcp", auth: { CLIENT_ID: "x" } },
      odd: { url: "https://odd.example/mcp", headers: ["a"] },
    };
    await using home = await openHome("cursor", JSON.stringify({ mcpServers }));
    const { out } = await home.wrap("--yes");
    assert.match(out, /open is left as it is: it has a URL and no key in its headers.*name it to wrap it/);
    assert.match(out, /login is left as it is: its client logs in to it\./);
    assert.match(out, /odd is left as it is: its URL is in a form that is not known\./);
    const wrapped = async () =>
      (await home.entries()).flatMap(({ name, server }) => (readWrappedUrl(server) ? [name] : []));
    assert.deepEqual(await wrapped(), ["local"]);
    await home.wrap("open", "login", "--yes");
    assert.deepEqual(await wrapped(), ["open", "local"]);
    assert.match(
      (await home.wrap("--list")).out,
      /open: wrapped\n.*local: wrapped\n.*login: cannot be wrapped: its client logs/,
    );
  });

  test("of Codex keep the variables that they name", async () => {
    const before =
      '[mcp_servers.docs]\nurl = "https://docs.example/mcp"\nbearer_token_env_var = "DOCS_TOKEN"\nenv_http_headers = { "X-Team" = "TEAM" }\n';
    await using home = await openHome("codex", before);
    await home.wrap("--yes");
    const [entry] = await home.entries();
    assert.deepEqual(entry?.server?.args.slice(-2), [
      "--header=X-Team=$TEAM",
      "--header=Authorization=Bearer $DOCS_TOKEN",
    ]);
    assert.deepEqual(entry?.server?.envNames, ["TEAM", "DOCS_TOKEN"]);
    await writeFile(home.path, `${await home.text()}# later\n`);
    const value = {
      mcp_servers: {
        docs: {
          url: "https://docs.example/mcp",
          bearer_token_env_var: "DOCS_TOKEN",
          env_http_headers: { "X-Team": "TEAM" },
        },
      },
    };
    await home.unwrap("--yes");
    assert.deepEqual(await home.value(), value);
  });

  test("of the older transport say so; a key in the address is not on the command line", async () => {
    const mcpServers = {
      old: { url: "https://old.example/sse", headers: { "X-Key": "$OLD_KEY" } },
      query: { httpUrl: "https://query.example/mcp?key=secret", headers: { "X-A": "1" } },
    };
    await using home = await openHome("gemini", JSON.stringify({ mcpServers }));
    await home.wrap("--yes");
    const [old, query] = (await home.entries()).map(({ server }) => server ?? assert.fail());
    assert.ok(old?.args.includes("--transport=sse"));
    assert.equal(old?.env?.MCP_HEADER_1, "$OLD_KEY", "the client fills in its own variables");
    assert.ok(!query?.args.join(" ").includes("secret"));
    assert.equal(query?.env?.MCP_URL, "https://query.example/mcp?key=secret");
    await home.unwrap("old", "--yes");
    const after = JSON.parse(await home.text()).mcpServers;
    assert.deepEqual(after.old, mcpServers.old);
    assert.notDeepEqual(after.query, mcpServers.query);
  });

  test("without a backup are written as the client writes them", async () => {
    await using home = await openHome("opencode", configs.opencode ?? "");
    await home.wrap("--yes");
    const wrapped = await home.text();
    await using other = await openHome("opencode", wrapped);
    await other.unwrap("--yes");
    assert.deepEqual(await other.value(), JSON.parse(configs.opencode ?? ""));
  });
});
