/** Secrets in URLs: whatever happens to the URL, no file of the store, reply, event or log line shows them. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import fc from "fast-check";
import { defaultSettings, type Settings } from "../src/config/settings.ts";
import { openSession } from "../src/session/session.ts";
import { callTool } from "../src/tools/call-tool.ts";
import type { ToolSession } from "../src/tools/tool.ts";
import { findTool } from "../src/tools/tools.ts";
import { makeTemporaryFolder } from "./bodies.ts";
import { openCli } from "./cli.ts";
import { startServer } from "./server.ts";

/** Pages of every fate: found, not found, redirected to a URL with the secret, without text, with a canonical URL. */
const startSite = () =>
  startServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? "/", "http://x.invalid");
    if (pathname.startsWith("/missing")) return void response.writeHead(404).end();
    if (pathname.startsWith("/moved")) return void response.writeHead(302, { location: `/page${search}` }).end();
    if (pathname.startsWith("/bytes")) return void response.end(Buffer.from([0, 1, 2, 3, 255]));
    response.setHeader("etag", '"1"').setHeader("content-type", "text/html");
    response.end(`<title></title><link rel=canonical href="${request.url}"><main><p>A page about rivers.</p></main>`);
  });

async function readFiles(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(await Promise.all(paths.map(async (path) => [path, await readFile(path, "latin1")] as const)));
}

/** The names of the files whose names or content show the secret; a blob is the source's own bytes. */
async function findInStore(home: string, secret: string): Promise<string[]> {
  const files = [...(await readFiles(home))].filter(([path]) => !path.startsWith(join(home, "blobs")));
  return files.filter(([path, content]) => `${path}\n${content}`.includes(secret)).map(([path]) => path);
}

async function openTools(settings: Settings) {
  const log: string[] = [];
  const session = await openSession({ settings, env: {}, log: (line) => void log.push(line) });
  async function call(name: string, input: object): Promise<string> {
    const tool = findTool(name);
    assert.ok(tool);
    const messages: string[] = [];
    const toolSession: ToolSession = {
      ...session,
      progress: (text) => void messages.push(text),
      inform: (_, text) => void messages.push(text),
    };
    return JSON.stringify([await callTool(tool, input, toolSession), messages, log]);
  }
  return { call, session };
}

const secretParts = fc.record({
  name: fc.constantFrom(
    "token",
    "access_token",
    "key",
    "sig",
    "signature",
    "X-Amz-Signature",
    "code",
    "password",
    "api-key",
    "user_pass",
    "oauth_verifier",
    "hdnts",
  ),
  secret: fc.stringMatching(/^[A-Za-z0-9_-]{8,30}$/).map((text) => `zq${text}qz`),
  place: fc.constantFrom("query", "fragment", "path", "nested", "encoded", "json"),
  page: fc.constantFrom("page", "moved", "missing", "bytes"),
});

function makeUrl(
  origin: string,
  { name, secret, place, page }: typeof secretParts extends fc.Arbitrary<infer P> ? P : never,
) {
  if (place === "path") return `${origin}/${page};${name}=${secret}`;
  if (place === "encoded") return `${origin}/${page}%3F${name}%3D${secret}`;
  if (place === "json") return `${origin}/${page}?state=${encodeURIComponent(JSON.stringify({ [name]: secret }))}`;
  if (place === "nested") return `${origin}/${page}?next=${encodeURIComponent(`https://b.example/?${name}=${secret}`)}`;
  return `${origin}/${page}?a=1${place === "query" ? "&" : "#"}${name}=${secret}`;
}

describe("a secret in a URL", () => {
  test("is in no stored file, reply, message, event or log line", async () => {
    await using server = await startSite();
    await fc.assert(
      fc.asyncProperty(secretParts, async (parts) => {
        await using home = await makeTemporaryFolder();
        const network = { "network.allow": [server.allow], "network.tries": 1, "network.cache_ttl": 0 };
        const { call, session } = await openTools({ ...defaultSettings, home: home.path, ...network });
        const url = makeUrl(server.origin, parts);
        const replies = [
          await call("web_fetch", { url }),
          await call("fetch_content", { urls: [url, `${url}x`] }),
          await call("fetch_content", { url: url.replace("http://", "") }),
          await call("get_search_content", { responseId: "rs_none", url }),
        ];
        const responseId = /rs_[0-9a-f]{32}/.exec(replies.join())?.[0];
        replies.push(await call("get_search_content", { responseId }));
        replies.push(await call("get_search_content", { responseId, url }));
        replies.push(await call("get_search_content", { responseId, url: `${url}-other` }));
        await session[Symbol.asyncDispose]();
        for (const reply of replies) assert.ok(!reply.includes(parts.secret), reply);
        assert.deepEqual(await findInStore(home.path, parts.secret), []);
      }),
      { numRuns: 40 },
    );
  });

  test("does not keep a page from being found, revalidated and fetched again", async () => {
    await using server = await startSite();
    await using home = await makeTemporaryFolder();
    const network = { "network.allow": [server.allow], "network.cache_ttl": 0 };
    const { call, session } = await openTools({ ...defaultSettings, home: home.path, ...network });
    await using _session = session;
    const refOf = (reply: string) => /af_[0-9a-f]{32}/.exec(reply)?.[0];
    const first = await call("fetch_content", { url: `${server.origin}/page?token=first-one` });
    const again = await call("fetch_content", { url: `${server.origin}/page?token=first-one` });
    const other = await call("fetch_content", { url: `${server.origin}/page?token=other-one` });
    assert.equal(refOf(first), refOf(again));
    assert.notEqual(refOf(first), refOf(other));
    assert.equal(server.requests[1]?.headers["if-none-match"], '"1"');
    const responseId = /rs_[0-9a-f]{32}/.exec(first)?.[0];
    for (const token of ["first-one", "***"]) {
      const stored = await call("get_search_content", { responseId, url: `${server.origin}/page?token=${token}` });
      assert.match(stored, /A page about rivers/);
    }
  });

  test("is not printed by any command, and an expired ref says what to put in its place", async () => {
    await using server = await startSite();
    await using cli = await openCli();
    const env = { SPILLWAY_NETWORK_ALLOW: server.allow, SPILLWAY_NETWORK_TRIES: "1" };
    const secret = "zq-s3cr3t-qz";
    const printed: string[] = [];
    const run = async (...argv: string[]) => {
      const { out, err } = await cli.run(argv, { env });
      printed.push(out, err);
      return out;
    };
    const fields = JSON.parse(await run("fetch", `${server.origin}/moved?access_token=${secret}`, "--json"));
    assert.equal(fields.source_url, `${server.origin}/moved?access_token=***`);
    assert.match(fields.warnings.join(" "), /Redirected to "http:\S+\/page\?access_token=\*\*\*"\./);
    assert.equal(fields.canonical_url, `${server.origin}/page?access_token=***`);
    for (const url of [`/missing?key=${secret}`, `/page#password=${secret}`, `/bytes;sig=${secret}`]) {
      for (const command of ["fetch", "detect", "cat"]) {
        await run(command, `${server.origin}${url}`);
        await run(command, `${server.origin}${url}`, "--json");
      }
    }
    await run("fetch", `http://me:${secret}@127.0.0.1/`, "--json");
    await run("fetch", `example.invalid/?token=${secret}`, "--json");
    await run("artifacts", "ls");
    await run("artifacts", "ls", "--json");
    await run("artifacts", "show", fields.artifact_ref);
    await run("artifacts", "rm", fields.artifact_ref);
    await run("events");
    const { err } = await cli.run(["read", fields.artifact_ref], { env });
    assert.match(
      err,
      /Fetch http:\S+access_token=\*\*\* again, with your own value in place of \*\*\*, to get it back/,
    );
    assert.ok(
      !printed.join("\n").includes(secret),
      printed.find((text) => text.includes(secret)),
    );
    assert.deepEqual(await findInStore(cli.home, secret), []);
  });
});
