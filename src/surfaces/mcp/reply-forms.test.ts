/** Which form of a reply each client gets, and how much of it. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { openServed, type ServedOptions } from "../../../test/served-mcp.ts";
import { clientRows, type ReplyForm } from "../../config/clients.ts";

type Block = { readonly type: string; readonly text?: string; readonly _meta?: object };
type Result = { readonly content: readonly Block[]; readonly structuredContent?: { readonly content?: string } };
type Listing = { readonly tools: readonly { readonly name: string; readonly outputSchema?: object }[] };

const textOf = ({ content }: Result): string => content.map(({ text = "" }) => text).join("");

/** A server with a long and a short file, opened by a client. */
async function openFor(name: string, options: ServedOptions & { readonly revision?: string } = {}) {
  const served = await openServed(options);
  await writeFile(join(served.folder, "long.txt"), "The weir holds the water back.\n".repeat(5_000));
  await writeFile(join(served.folder, "short.txt"), 'Just "this".');
  await served.open(name, options.revision);
  return {
    ...served,
    async call(tool: string, input: object, meta: object = {}) {
      return served.request<Result>("tools/call", { name: tool, arguments: input, _meta: meta });
    },
    [Symbol.asyncDispose]: served[Symbol.asyncDispose],
  };
}

const codexTurn = (model: string) => ({ "x-codex-turn-metadata": { model, codex_version: "0.166" } });

describe("the form of a reply", () => {
  const handshakes: readonly { name: string; form: ReplyForm; options?: Parameters<typeof openFor>[1] }[] = [
    { name: "claude-code", form: "text" },
    { name: "qwen-cli-mcp-client", form: "text" },
    { name: "pi-mcp-adapter", form: "text" },
    { name: "continue-cli-client", form: "text" },
    { name: "opencode", form: "text" },
    { name: "gemini-cli-mcp-client", form: "text" },
    { name: "@cline/core", form: "text", options: { revision: "2024-11-05" } },
    { name: "some-client", form: "text" },
    { name: "codex-mcp-client", form: "structured" },
    { name: "codex-mcp-client", form: "structured", options: { revision: "2025-06-18" } },
    { name: "codex-mcp-client", form: "text", options: { revision: "2025-03-26" } },
    { name: "some-client", form: "both", options: { settings: { "mcp.form": "both" } } },
    { name: "some-client", form: "text", options: { settings: { "mcp.form": "both" }, revision: "2024-11-05" } },
    { name: "claude-code", form: "structured", options: { settings: { "mcp.form": "structured" } } },
    { name: "codex-mcp-client", form: "text", options: { settings: { "mcp.form": "text" } } },
    { name: "some-client", form: "structured", options: { client: "codex" } },
  ];
  for (const { name, form, options } of handshakes) {
    test(`for ${name} ${JSON.stringify(options ?? {})} is ${form}`, async () => {
      await using served = await openFor(name, options);
      const { tools } = await served.request<Listing>("tools/list");
      for (const tool of tools) assert.equal("outputSchema" in tool, form !== "text", tool.name);
      const result = await served.call("fetch_content", { url: "short.txt" });
      assert.equal("structuredContent" in result, form !== "text");
      assert.equal(/Just "this"/.test(textOf(result)), form !== "structured");
      assert.equal(
        result.content.some(({ type }) => type === "resource_link"),
        form === "both",
      );
      if (form !== "structured") return;
      assert.equal(result.structuredContent?.content, 'Just "this".');
      assert.match(textOf(result), /^\[Fetched text artifact: short\.txt, 12 B\. .*artifact_ref=af_\w{32}.*\]$/);
    });
  }

  test("is complete for an error too", async () => {
    await using text = await openFor("claude-code");
    assert.match(textOf(await text.call("fetch_content", { url: "no.txt" })), /^Invalid URL\n.*neither a web address/);
    await using structured = await openFor("codex-mcp-client");
    const result = await structured.call("fetch_content", { url: "no.txt" });
    assert.equal(textOf(result), "Invalid URL");
    assert.match(JSON.stringify(result.structuredContent), /neither a web address/);
  });
});

describe("the size of a reply", () => {
  const size = (result: Result) => textOf(result).length;

  test("is 8,000 characters for an unknown client that asks for no number", async () => {
    await using served = await openFor("some-client");
    const result = await served.call("fetch_content", { url: "long.txt" });
    assert.ok(size(result) <= 8_000 && size(result) > 7_000, String(size(result)));
    assert.match(textOf(result), /Use a higher maxChars to retrieve more\.\]$/);
    const [, ref, offset] = /Read on: read_artifact artifact_ref=(\w+) offset=(\d+)/.exec(textOf(result)) ?? [];
    const next = await served.call("read_artifact", { artifact_ref: ref, offset });
    assert.ok(size(next) <= 8_000 && size(next) > 7_000);
  });

  test("is what an unknown client asks for", async () => {
    await using served = await openFor("some-client");
    const result = await served.call("fetch_content", { url: "long.txt", maxChars: 40_000 });
    assert.ok(size(result) > 40_000 && size(result) <= 40_600);
  });

  test("is the usual one with --client none", async () => {
    await using served = await openFor("some-client", { client: "none" });
    const result = await served.call("fetch_content", { url: "long.txt" });
    assert.ok(size(result) > 30_000 && size(result) <= 30_600);
  });

  test("follows the model that Codex names with the call", async () => {
    await using served = await openFor("codex-mcp-client");
    const sizeWith = async (meta: object) => {
      const { content, structuredContent } = await served.call(
        "fetch_content",
        { url: "long.txt", maxChars: 90_000 },
        meta,
      );
      return Buffer.byteLength(JSON.stringify(structuredContent) + textOf({ content }));
    };
    const known = await sizeWith(codexTurn("gpt-6-sol"));
    assert.ok(known <= 38_000 && known > 37_000, String(known));
    for (const meta of [codexTurn("qwen3-coder"), {}]) {
      const other = await sizeWith(meta);
      assert.ok(other <= 9_500 && other > 9_000, String(other));
    }
  });

  test("counts escapes where the client shows JSON", async () => {
    await using served = await openFor("@cline/core", { revision: "2024-11-05" });
    const result = await served.call("fetch_content", { url: "long.txt", maxChars: 90_000 });
    const shown = JSON.stringify(result).length;
    assert.ok(shown <= 8_000 && shown > 7_000, String(shown));
  });

  test("of both forms together fits a client with a limit", async () => {
    for (const { name } of clientRows.filter(({ published }) => published !== null && "bytes" in published)) {
      await using served = await openFor(name, { settings: { "mcp.form": "both" } });
      const result = await served.call("fetch_content", { url: "long.txt", maxChars: 90_000 }, codexTurn("gpt-6"));
      const bytes = Buffer.byteLength(textOf(result) + JSON.stringify(result.structuredContent));
      const { published } = clientRows.find((row) => row.name === name) ?? assert.fail(name);
      assert.ok(bytes <= (published?.bytes ?? 0), `${name}: ${bytes}`);
    }
  });
});
