import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { cleanText } from "./clean.ts";
import { handlerContract, keep, run, type Sample, segmentsOf } from "./handler.contract.ts";
import { text } from "./text-handler.ts";

const plain = { kind: "text", mediaType: "text/plain", charset: "utf-8" } as const;
const MAX_SEGMENT_CHARS = 64 * 1024;

const log = Array.from({ length: 6_000 }, (_, index) => `line ${index} of a log with \x1b[32mcolour\x1b[0m\r\n`).join(
  "",
);
const oneLine = '{"key":"😀"},'.repeat(20_000);
const markdown = `# Guide\n\n\`\`\`\n# comment\n\`\`\`\n\n${"Some words.\n".repeat(8_000)}\n## Last part\n\nend\n`;

handlerContract(text, [
  { ...plain, name: "an empty file", bytes: Buffer.alloc(0) },
  { ...plain, name: "a short text", bytes: Buffer.from("hello\nworld") },
  { ...plain, name: "a coloured log", bytes: Buffer.from(log) },
  { ...plain, name: "one long line", bytes: Buffer.from(oneLine) },
  { ...plain, name: "bytes that are no UTF-8", bytes: Buffer.from("caf\xe9 \0\x1b", "latin1") },
  { ...plain, name: "UTF-16", charset: "utf-16le", bytes: Buffer.from(`\ufeff${log}`, "utf16le") },
  { ...plain, name: "Markdown", mediaType: "text/markdown", bytes: Buffer.from(markdown) },
  { kind: "html", mediaType: "text/html", name: "HTML as source", bytes: Buffer.from("<p>a\u202eb</p>") },
]);

describe("text segments", () => {
  test("a charset without a decoder is named", async () => {
    await using sampleFile = await keep({ ...plain, charset: "x-unknown", bytes: Buffer.from("words") });
    const failed = { reason: "unsupported", detail: "the charset x-unknown is not decoded" };
    assert.deepEqual(await run(text, sampleFile.file), [{ info: {} }, { failed }]);
  });

  test("an empty file is one empty segment", async () => {
    assert.deepEqual(await segmentsFor(""), [{ index: 0, kind: "whole", label: "", text: "", marks: [] }]);
  });

  for (const source of ['{"b": 1,\n  "a": [1, 2]}', "a,b\n1,\t2\n", "<a>\n <b/>\n</a>", "<p>x</p>"]) {
    test(`${JSON.stringify(source)} stays as it is`, async () => {
      assert.deepEqual(await textsFor(source), [source]);
    });
  }

  test("joined, they are the cleaned text, and each is bounded", async () => {
    for (const source of [log, oneLine, markdown]) {
      const texts = await textsFor(source);
      assert.ok(texts.length > 1);
      assert.equal(texts.join(""), cleanText(source).text);
      assert.ok(texts.every((piece) => piece.length <= MAX_SEGMENT_CHARS));
    }
  });

  test("segments end at a line end where one is near enough", async () => {
    const texts = await textsFor(log);
    assert.ok(texts.every((piece) => piece.endsWith("\n")));
  });

  test("a cut inside a line never splits a character", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: MAX_SEGMENT_CHARS - 3, max: MAX_SEGMENT_CHARS + 3 }), async (before) => {
        const texts = await textsFor(`${"x".repeat(before)}😀😀😀`);
        assert.ok(texts.every((piece) => piece.isWellFormed() && !piece.includes("\ufffd")));
      }),
      { numRuns: 7 },
    );
  });

  const sizes = [
    { chars: MAX_SEGMENT_CHARS, labels: [""] },
    { chars: MAX_SEGMENT_CHARS + 1, labels: ["part 1", "part 2"] },
  ];
  for (const { chars, labels } of sizes) {
    test(`${chars} characters are named ${JSON.stringify(labels)}`, async () => {
      const segments = await segmentsFor("x".repeat(chars));
      assert.deepEqual(
        segments.map(({ label }) => label),
        labels,
      );
    });
  }

  test("Markdown headings are marks of the segment that contains them", async () => {
    const segments = await segmentsFor(markdown, { mediaType: "text/markdown" });
    const headings = segments.flatMap(({ text, marks }) => marks.map(({ at }) => text.slice(at).split("\n")[0]));
    assert.deepEqual(headings, ["# Guide", "## Last part"]);
  });

  test("comments of a shell script are not headings", async () => {
    const [segment] = await segmentsFor("# comment\n");
    assert.deepEqual(segment?.marks, []);
  });
});

async function segmentsFor(source: string, as: Partial<Sample> = {}) {
  await using kept = await keep({ ...plain, ...as, bytes: Buffer.from(source) });
  return segmentsOf(await run(text, kept.file));
}

async function textsFor(source: string): Promise<string[]> {
  return (await segmentsFor(source)).map((segment) => segment.text);
}
