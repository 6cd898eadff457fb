/** One page in every style of links, through the MCP server and the library, in any order and from what is stored. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { defaultSettings, fetchSource, openSession, readArtifact } from "../src/index.ts";
import { makeTemporaryFolder } from "./bodies.ts";
import { openMcp } from "./mcp.ts";

const prose = Array.from({ length: 60 }, (_, index) => `<p>Line ${index + 1}: the keeper wrote down the weather.</p>`);
const html = `<html><head><title>Log</title></head><body><main><h1>Log</h1><p>See <a href="lamps.html">the lamps</a>.</p>${prose.join("")}</main></body></html>`;
const shown = {
  inline: "See [the lamps](lamps.html).",
  numbered: "See [the lamps][1].",
  none: "See the lamps.",
} as const;
const styles = Object.keys(shown) as (keyof typeof shown)[];

describe("the tools", () => {
  test("show a page in the style of each call, also the page that is already kept", async () => {
    await using mcp = await openMcp();
    await mcp.write("log.html", html);
    const client = await mcp.client("2026-07-28", { env: { SPILLWAY_MCP_FORM: "both" } });
    const call = async (name: string, input: Record<string, unknown>) => {
      const { structuredContent, content, isError } = await client.callTool({ name, arguments: input });
      const text = JSON.stringify(content);
      return { fields: (structuredContent ?? {}) as Record<string, unknown>, text, isError };
    };
    for (const links of [...styles, ...styles.toReversed()]) {
      const { fields } = await call("fetch_content", { url: "log.html", links });
      assert.ok(String(fields.content).includes(shown[links]), links);
      const read = await call("read_artifact", { artifact_ref: fields.artifact_ref, links });
      assert.ok(String(read.fields.content).includes(shown[links]), links);
    }
  });

  test("read a stored response in the style it was fetched in, or in the one that is asked for", async () => {
    await using mcp = await openMcp();
    await mcp.write("log.html", html);
    const client = await mcp.client("2026-07-28", { env: { SPILLWAY_MCP_FORM: "both" } });
    const call = async (name: string, input: Record<string, unknown>) =>
      ((await client.callTool({ name, arguments: input })).structuredContent ?? {}) as Record<string, unknown>;
    for (const links of styles) {
      const { responseId } = await call("fetch_content", { url: "log.html", links, maxChars: 300 });
      for (const tool of ["read_artifact", "get_search_content"]) {
        const { content } = await call(tool, { responseId, urlIndex: 0 });
        assert.ok(String(content).includes(shown[links]), `${tool} ${links}`);
      }
      const { content } = await call("read_artifact", { responseId, links: "inline" });
      assert.ok(String(content).includes(shown.inline), links);
    }
  });

  test("repeat the style in the call that reads on, and refuse another word with the words there are", async () => {
    await using mcp = await openMcp();
    await mcp.write("log.html", html);
    const client = await mcp.client("2026-07-28");
    const call = async (input: Record<string, unknown>) => {
      const { content } = await client.callTool({ name: "fetch_content", arguments: input });
      return JSON.stringify(content);
    };
    assert.match(await call({ url: "log.html", links: "none", maxChars: 300 }), /Read on: read_artifact .*links=none/);
    assert.match(await call({ url: "log.html", links: "all" }), /inline.*numbered.*none/);
  });
});

test("the library shows a page in the style of each call", async () => {
  await using folder = await makeTemporaryFolder();
  await using session = await openSession({ inMemory: true, settings: defaultSettings, cwd: folder.path });
  const page = `data:text/html,${encodeURIComponent(html)}`;
  for (const links of styles) {
    const { fields, content } = await fetchSource(page, { links }, session);
    assert.ok(content?.includes(shown[links]), links);
    const read = await readArtifact(fields.artifact_ref ?? "", { links, section: "Log" }, session);
    assert.ok(read.content?.includes(shown[links]), links);
  }
});
