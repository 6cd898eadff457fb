import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { defaultSettings } from "../../config/settings.ts";
import { handlerContract, keep, segmentsOf } from "../handler.contract.ts";
import { type ExtractItem, type HandlerOptions, type Info, type LocalFile, modes } from "../handler.ts";
import { getPool, readChildLimits } from "../pool/pools.ts";
import type { HtmlFacts } from "./describe-html.ts";
import { html } from "./html-handler.ts";

const page = { kind: "html", mediaType: "text/html", charset: "utf-8" } as const;
const paragraphs = (count: number): string =>
  Array.from(
    { length: count },
    (_, index) =>
      `<h2>Day ${index}</h2>\n<p>On day ${index} the keeper saw ${index} ships pass by, and wrote them down.</p>`,
  ).join("\n");
const small = `<!doctype html><title>Log</title><main><h1>Log</h1>${paragraphs(20)}</main>`;
const long = `<!doctype html><title>Log</title><main>${paragraphs(12_000)}</main>`;

after(() => getPool("parse").close());

handlerContract(html, [
  { ...page, name: "a small page", bytes: Buffer.from(small) },
  { ...page, name: "an empty file", bytes: Buffer.alloc(0) },
  { ...page, name: "a long page, read in a child", bytes: Buffer.from(long) },
  { ...page, name: "a page in UTF-16", charset: "utf-16le", bytes: Buffer.from(`\ufeff${small}`, "utf16le") },
  {
    ...page,
    name: "misleading characters",
    bytes: Buffer.from("<h1>a&#x202e;b\x1b[31m</h1><p>&#27;c\0&#xd800;</p>"),
  },
  { ...page, name: "a charset without a decoder", charset: "x-unknown", bytes: Buffer.from(small) },
]);

describe("an HTML page", () => {
  test("gives its headings as marks at their offsets, also in later segments", async () => {
    for (const source of [small, long]) {
      const segments = segmentsOf(await pieces(source));
      const lines = segments.flatMap(({ text, marks }) =>
        marks.map(({ at, label }) => [text.slice(at).split("\n")[0], label]),
      );
      assert.deepEqual(lines.at(-1), [
        `## Day ${source === small ? 19 : 11_999}`,
        `Day ${source === small ? 19 : 11_999}`,
      ]);
      for (const [line, label] of lines) assert.match(line ?? "", new RegExp(`^##? ${label}$`));
      assert.equal(segments.length > 1, source === long);
    }
  });

  test("keeps its marks in place when characters are cleaned", async () => {
    const [segment] = segmentsOf(await pieces("<main><p>a&#x202e;&#x1b;[31mb</p><h2>Next&#x200e;</h2><p>c</p></main>"));
    assert.equal(segment?.text, "ab\n\n## Next\u200e\n\nc");
    assert.equal(segment?.marks[0]?.at, 4);
  });

  test("has one blank before the text of a heading that begins with removed characters", async () => {
    const title = "<h1>&#1; Log</h1><h2>&#x200b; Day</h2>";
    const [segment] = segmentsOf(await pieces(`<title>Log</title><main>${title}${paragraphs(3)}</main>`));
    assert.match(segment?.text ?? "", /^# Log\n\n## Day\n/);
    assert.deepEqual(segment?.marks.slice(0, 2), [
      { label: "Log", level: 1, at: 0 },
      { label: "Day", level: 2, at: 7 },
    ]);
  });

  test("gives its facts and the method of extraction", async () => {
    const { title, method, needsJs, keptShare = 0 } = infoOf(await pieces(small));
    assert.deepEqual([title, method, needsJs], ["Log", "main", false]);
    assert.ok(keptShare > 0.9);
  });

  test("gives its source in mode raw, and no marks in mode text", async () => {
    const texts = await Promise.all(
      modes.map(async (mode) => segmentsOf(await pieces("<h2>A</h2><p>b", { mode }))[0]?.text),
    );
    assert.deepEqual(texts, ["## A\n\nb", "A\n\nb", "<h2>A</h2><p>b"]);
  });

  test("has links relative to its address, which it states", async () => {
    const found = await pieces('<p><a href="b">b</a>', {}, { url: "https://example.com/a/?q" });
    assert.equal(segmentsOf(found)[0]?.text, "[b](b)");
    assert.equal(infoOf(found).linkBase, "https://example.com/a/");
  });

  for (const { name, limits } of [
    { name: "more memory", limits: { memoryBytes: 16 * 1024 * 1024 } },
    { name: "more time", limits: { wallMs: 1 } },
  ]) {
    test(`that needs ${name} than the child may use is read as plain lines`, async () => {
      const options = { limits: { ...readChildLimits(defaultSettings), ...limits } };
      const found = await pieces(long, options);
      getPool("parse", options.limits).close();
      assert.deepEqual(infoOf(found).method, "linear");
      const text = segmentsOf(found)
        .map((segment) => segment.text)
        .join("");
      assert.ok(text.startsWith("Day 0\nOn day 0 ") && text.endsWith("saw 11999 ships pass by, and wrote them down."));
    });
  }

  test("that is too large to parse is read as plain lines", async () => {
    const found = await pieces(`<p>begin</p>${"<p>and so on</p>".repeat(1_700_000)}<p>end`);
    assert.equal(infoOf(found).method, "linear");
    const segments = segmentsOf(found);
    assert.ok(segments[0]?.text.startsWith("begin\nand so on\n") && segments.at(-1)?.text.endsWith("and so on\nend"));
  });
});

async function pieces(
  source: string,
  options: Partial<HandlerOptions> = {},
  more: Partial<LocalFile> = {},
): Promise<ExtractItem[]> {
  await using kept = await keep({ ...page, bytes: Buffer.from(source) });
  const wanted: HandlerOptions = { mode: "markdown", from: 0, ...options };
  return await Array.fromAsync(html.extract({ ...kept.file, ...more }, wanted, new AbortController().signal));
}

function infoOf(found: readonly ExtractItem[]): Info<HtmlFacts> {
  return Object.assign({}, ...found.map((piece) => ("info" in piece ? piece.info : {})));
}
