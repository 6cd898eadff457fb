import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { clientRows, findClientProfile } from "../../../config/clients.ts";
import { defaultSettings } from "../../../config/settings.ts";
import { type Budget, findExcess, lowerBudget, makeSourceBudget } from "../../../fit/budget.ts";
import { openSession, type Session } from "../../../session/session.ts";
import { callTool } from "../../../tools/call-tool.ts";
import { readArtifactTool } from "../../../tools/read-artifact.ts";
import { type BoundOptions, boundResult } from "./bound-result.ts";

const openMemory = () => openSession({ inMemory: true, settings: defaultSettings, env: {} });
const budgetOf = (client: string): Budget =>
  lowerBudget(makeSourceBudget(defaultSettings).inline, { client: findClientProfile(client)?.limit });

const optionsFor = (session: Session, more: Partial<BoundOptions> = {}): BoundOptions => ({
  ...{ session, server: "test", tool: "t", readTool: "read_artifact", shows: "text", schema: undefined },
  budget: budgetOf("opencode"),
  ...more,
});

type Bounded = {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent?: { readonly items: readonly unknown[] };
  readonly isError?: boolean;
};

async function bound(result: object, options: BoundOptions): Promise<Bounded> {
  const bounded = await boundResult({ ...result }, options);
  return (bounded ?? assert.fail("the result passed untouched")) as unknown as Bounded;
}

const textResult = (text: string) => ({ content: [{ type: "text", text }] });
const findRef = (text: string): string => /artifact_ref=(af_[0-9a-f]{32})/.exec(text)?.[1] ?? assert.fail(text);
const words = "The quick brown fox jumps over the lazy dog.\n";

/** What is inside the fence of a page or a reply. */
const inFence = (text: string): string =>
  /\[Begin untrusted[^\n]*\n\n([\s\S]*?)\n\n\[End untrusted/.exec(text)?.[1] ?? assert.fail(text);

describe("a bounded result", () => {
  for (const { name } of clientRows)
    test(`fits ${name} in every unit it counts`, async () => {
      await using session = await openMemory();
      const budget = budgetOf(name);
      for (const text of [
        words.repeat(20_000),
        "日本語の文書。\n".repeat(30_000),
        JSON.stringify({ rows: Array(20_000).fill({ a: "é" }) }),
      ]) {
        const { content } = await bound(textResult(text), optionsFor(session, { budget }));
        const page = content.map((block) => block.text).join("\n");
        assert.equal(findExcess(page, budget), null, `${page.length} characters`);
        const share = page.length / Math.min(budget.chars, (budget.bytes ?? Infinity) / 3);
        assert.ok(share > 0.5 || budget.lines !== undefined, `only ${page.length} characters`);
      }
    });

  test("continues exactly where its page ends, for any text", async () => {
    await using session = await openMemory();
    const budget: Budget = { chars: 1_000, bound: "client" };
    const line = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 80 }),
      fc.constantFrom("# Title", "\u202eabc", "\x07"),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 30 }), async (lines) => {
        const text = `Start ${lines.join("\n")}`.repeat(1 + Math.ceil(2_000 / (lines.join("\n").length + 6)));
        const page = (await bound(textResult(text), optionsFor(session, { budget }))).content[0]?.text ?? "";
        const offset = Number(/offset=(\d+)/.exec(page)?.[1]);
        const read = async (at: number) =>
          inFence((await callTool(readArtifactTool, { artifact_ref: findRef(page), offset: at }, session)).text);
        const whole = await read(0);
        assert.equal(whole.slice(offset), await read(offset));
        assert.ok(inFence(page).startsWith(whole.slice(0, offset)));
      }),
      { numRuns: 25 },
    );
  });

  test("of a web page shows our Markdown of it, and offsets count in that", async () => {
    await using session = await openMemory();
    const paragraphs = Array.from({ length: 900 }, (_, n) => `<p>Paragraph ${n} about weirs and <b>spillways</b>.</p>`);
    const html = `<!doctype html><html><head><title>Weirs</title><script>x=1</script></head><body><article><h1>Weirs</h1>${paragraphs.join("")}</article></body></html>`;
    const page = (await bound(textResult(html), optionsFor(session, { budget: { chars: 8_000, bound: "client" } })))
      .content[0];
    assert.match(page?.text ?? "", /^\[This result is a web page; its text has [\d,]+ characters/);
    assert.match(inFence(page?.text ?? ""), /Paragraph 0 about weirs and \*\*spillways\*\*\./);
    const offset = Number(/offset=(\d+)/.exec(page?.text ?? "")?.[1]);
    const next = await callTool(readArtifactTool, { artifact_ref: findRef(page?.text ?? ""), offset }, session);
    const shown = Number([...inFence(page?.text ?? "").matchAll(/Paragraph (\d+)/g)].at(-1)?.[1]);
    assert.match(inFence(next.text).trimStart(), new RegExp(`^Paragraph ${shown + 1} `));
  });

  test("that is an error stays one, with its beginning and its end", async () => {
    await using session = await openMemory();
    const text = `Error: it failed\n${"    at frame (file.js:1)\n".repeat(20_000)}Caused by: no space left`;
    const { content, isError } = await bound({ ...textResult(text), isError: true }, optionsFor(session));
    assert.equal(isError, true);
    assert.match(inFence(content[0]?.text ?? ""), /^Error: it failed[\s\S]*left out[\s\S]*no space left$/);
  });

  test("counts links and embedded texts, and shows none of them twice", async () => {
    await using session = await openMemory();
    const links = Array.from({ length: 2_000 }, (_, n) => ({
      type: "resource_link",
      uri: `file:///${n}`,
      name: `n${n}`,
    }));
    const resource = { type: "resource", resource: { uri: "x:1", text: words.repeat(2_000) } };
    const { content } = await bound({ content: [...links, resource] }, optionsFor(session));
    assert.equal(content.length, 1);
    assert.ok(JSON.stringify(content).length < 55_000);
  });

  test("keeps both forms where they differ, and one where they are the same", async () => {
    await using session = await openMemory();
    const items = Array.from({ length: 5_000 }, (_, id) => ({ id, name: "x" }));
    const refs = async (text: string) => {
      const { content } = await bound({ ...textResult(text), structuredContent: { items } }, optionsFor(session));
      return content[0]?.text.match(/af_[0-9a-f]{32}/g)?.length;
    };
    assert.equal(await refs(JSON.stringify({ items }, null, 2)), 1);
    assert.equal(await refs("A summary in words."), 2);
  });

  test("shows the text where structured content only repeats it in a field", async () => {
    await using session = await openMemory();
    const text = words.repeat(5_000);
    const { content } = await bound({ ...textResult(text), structuredContent: { content: text } }, optionsFor(session));
    assert.match(inFence(content[0]?.text ?? ""), /^The quick/);
    assert.equal(content[0]?.text.match(/af_[0-9a-f]{32}/g)?.length, 1);
  });

  test("and its structured content fit together", async () => {
    await using session = await openMemory();
    const items = Array.from({ length: 5_000 }, (_, id) => ({ id, name: "x" }));
    const schema = { type: "object", properties: { items: { type: "array" } } };
    const options = optionsFor(session, { schema, shows: "both" });
    const { content, structuredContent } = await bound({ content: [], structuredContent: { items } }, options);
    assert.ok((structuredContent?.items.length ?? 0) > 100);
    assert.equal(findExcess(`${content[0]?.text}${JSON.stringify(structuredContent)}`, options.budget), null);
  });

  test("is bounded also where nothing can be kept, and says so", async () => {
    await using session = await openMemory();
    const { SpillwayError } = await import("../../../errors.ts");
    const store = {
      ...session.store,
      keep: () => Promise.reject(new SpillwayError("store_unavailable", "The disk is full.", { hint: "Free some." })),
    };
    const options = optionsFor({ ...session, store });
    const image = { type: "image", data: Buffer.alloc(600_000, 7).toString("base64"), mimeType: "image/png" };
    const { content } = await bound({ content: [image, ...textResult(words.repeat(9_000)).content] }, options);
    assert.match(content[0]?.text ?? "", /The rest could not be kept: ask for less\.\]/);
    assert.ok(JSON.stringify(content).length < 55_000);
  });
});

describe("files inside a result", () => {
  const png = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(9_000, 7)]).toString("base64");

  for (const [name, text, expected] of [
    ["base64 of text", Buffer.from(words.repeat(100)).toString("base64"), /^\[text, 4\.5 KB, kept\. Read it: /],
    ["base64 in the lines of mail", png.replace(/.{76}/g, "$&\r\n"), /^\[image, 9.0 KB, kept/],
    [
      "base64 in JSON",
      JSON.stringify({ content: png.replace(/.{60}/g, "$&\n"), encoding: "base64" }),
      /^\{"content":"\[image, 9.0 KB, kept.*\]","encoding":"base64"\}$/,
    ],
    [
      "a data URI with parameters",
      `<img src="data:image/png;charset=x;base64,${png}">`,
      /^<img src="\[image, 9.0 KB, kept.*\]">$/,
    ],
  ] as const)
    test(`are found in text: ${name}`, async () => {
      await using session = await openMemory();
      const { content } = await bound(textResult(text), optionsFor(session));
      assert.match(content[0]?.text ?? "", expected);
    });

  for (const [name, text] of [
    ["a digest in hex", "0123456789abcdef".repeat(500)],
    ["a sequence", "ACGTTGCA".repeat(500)],
    ["one long word", "a".repeat(5_000)],
    ["a short data URI", `data:image/png;base64,${png.slice(0, 500)}`],
  ] as const)
    test(`are not taken for ${name}`, async () => {
      await using session = await openMemory();
      assert.equal(await boundResult(textResult(text), optionsFor(session)), undefined);
    });

  test("are kept byte for byte", async () => {
    await using session = await openMemory();
    const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, n) => (n * n * 31) % 251));
    const resource = { type: "resource", resource: { uri: "x:1", blob: bytes.toString("base64") } };
    const { content } = await bound({ content: [resource] }, optionsFor(session));
    const record = await session.store.find(findRef(content[0]?.text ?? ""));
    assert.equal(record.size_bytes, 5_000);
  });

  test("that are many small pictures pass up to a sum", async () => {
    await using session = await openMemory();
    const image = { type: "image", data: "A".repeat(300_000), mimeType: "image/png" };
    const { content } = await bound({ content: Array(8).fill(image) }, optionsFor(session));
    assert.deepEqual([content.filter(({ type }) => type === "image").length, content.length], [4, 8]);
  });
});
