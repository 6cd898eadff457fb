/** What a reply costs beside its content, in tokens. */
import assert from "node:assert/strict";
import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import tokenizer from "llama3-tokenizer-js";
import { openServed } from "../../../test/served-mcp.ts";

const countTokens = (text: string): number => tokenizer.encode(text, { bos: false, eos: false }).length;

type Result = { readonly content: readonly { readonly text?: string }[]; readonly structuredContent?: object };

/** What a model is shown: the fields where they are sent, else the text. */
const shownTo = ({ content, structuredContent }: Result): string =>
  structuredContent === undefined ? content.map(({ text = "" }) => text).join("") : JSON.stringify(structuredContent);

const words = "A weir is a barrier across a river that holds the water back.";
const text = `# Weirs\n\n${words}`;
const sources = {
  "page.html": `<html><head><title>What weirs hold</title></head><body><article><h1>Weirs</h1><p>${words}</p></article></body></html>`,
  "notes.md": text,
  "notes.txt": words,
};

/** The most that anything beside the content may cost. */
const MAX_FRAME_TOKENS = 100;

describe("a small result costs fewer than 100 tokens beside its content", () => {
  for (const client of ["claude-code", "codex-mcp-client", "some-client"]) {
    for (const name of Object.keys(sources) as (keyof typeof sources)[]) {
      test(`${name} for ${client}`, async () => {
        await using served = await openServed();
        await writeFile(join(served.folder, name), sources[name]);
        await served.open(client);
        const call = async (tool: string, input: object) =>
          shownTo(await served.request<Result>("tools/call", { name: tool, arguments: input }));
        const fetched = await call("fetch_content", { url: name });
        const [ref = ""] = /af_\w{32}/.exec(fetched) ?? [];
        const query = "what is a weir";
        const replies = [
          fetched,
          await call("fetch_content", { url: name, prompt: query }),
          await call("read_artifact", { artifact_ref: ref }),
          await call("read_artifact", { artifact_ref: ref, query }),
        ];
        for (const shown of replies) {
          assert.ok(shown.includes(words));
          const tokens = countTokens(shown) - countTokens(name === "notes.txt" ? words : text);
          assert.ok(tokens < MAX_FRAME_TOKENS, `${tokens} tokens: ${shown}`);
        }
      });
    }
  }
});

describe("search_code with its default limit", () => {
  for (const client of ["claude-code", "codex-mcp-client", "some-client"])
    test(`costs ${client} at most 2,000 tokens on ordinary code, and shows ten files`, async () => {
      await using served = await openServed();
      for (const folder of ["fit", "tools", "answer", "detect"]) {
        await cp(join(import.meta.dirname, "..", "..", folder), join(served.folder, folder), { recursive: true });
      }
      await served.open(client);
      const queries = [
        "how is a reply fitted to the limit of a client",
        "cut a text without breaking a code point",
        "callTool",
        "which notices does a truncated document get",
        "detect the charset of a text file",
      ];
      for (const query of queries) {
        const reply = await served.request<Result>("tools/call", { name: "search_code", arguments: { query } });
        assert.match(reply.content[0]?.text ?? "", /^Found (?:10|[789]) results /);
        const tokens = countTokens(shownTo(reply));
        assert.ok(tokens <= 2_000, `${tokens} tokens for ${query}`);
      }
    });
});
