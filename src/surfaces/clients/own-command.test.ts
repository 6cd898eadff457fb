import assert from "node:assert/strict";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeTemporaryFolder } from "../../../test/bodies.ts";
import { findClient } from "./find-clients.ts";
import { chooseServerCommand, readWrapped, runsGateway, runsSpillway } from "./own-command.ts";

describe("the command of an entry", () => {
  test("is the name only where a terminal finds it too", async () => {
    await using folder = await makeTemporaryFolder();
    const choose = async (bin: string, script: string) => {
      const path = join(folder.path, bin);
      await mkdir(path, { recursive: true });
      await writeFile(join(path, "spillway"), "");
      await chmod(join(path, "spillway"), 0o755);
      const machine = { env: { PATH: path }, platform: "linux", home: folder.path, cwd: folder.path } as const;
      return chooseServerCommand(findClient("codex"), { scope: "user", machine, own: { node: "/bin/node", script } });
    };
    assert.deepEqual(await choose("bin", "/lib/cli.js"), { command: "spillway", args: ["mcp"] });
    const byPath = { command: "/bin/node", args: ["/lib/cli.js", "mcp"] };
    assert.deepEqual(await choose("project/node_modules/.bin", "/lib/cli.js"), byPath);
    const byNpx = { command: "npx", args: ["-y", "spillway", "mcp"] };
    assert.deepEqual(await choose("bin", "/home/ada/.npm/_npx/1a/node_modules/spillway/dist/cli.js"), byNpx);
  });
});

describe("an entry", () => {
  test("is ours by the first of our commands", () => {
    const server = (...words: string[]) => ({ command: words[0] ?? "", args: words.slice(1) });
    assert.ok(runsSpillway(server("npx", "-y", "spillway@1", "mcp", "--client", "codex")));
    assert.ok(runsSpillway(server("npm", "--prefix", "/src/spillway", "start", "--", "mcp")));
    assert.ok(!runsSpillway(server("spillway", "gateway", "--name=mcp", "--", "ng", "mcp")));
    assert.ok(!runsSpillway(server("docker", "mcp", "gateway", "run")));
    assert.ok(runsGateway(server("spillway", "gateway", "--url", "https://example.com")));
    assert.deepEqual(readWrapped(server("spillway", "gateway", "--", "ng", "mcp")), { command: "ng", args: ["mcp"] });
    assert.equal(readWrapped(server("docker", "mcp", "gateway", "run", "--", "x")), undefined);
  });
});
