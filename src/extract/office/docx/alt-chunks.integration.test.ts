/** Large documents inside documents. Apart from the quick tests, because each reads tens of megabytes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeDocx, makeParagraph, readStored } from "../../../../test/office.ts";
import { readOffice } from "../../../../test/office-text.ts";
import { makeZip } from "../../../../test/zip.ts";

const UNREAD = "[included document that is not read]";
const REST_UNREAD = "[the rest of the included document is not read]";

test("documents inside documents expand to 24 MB together", async () => {
  const inner = makeDocx(makeParagraph("word ".repeat(100)).repeat(14_000));
  const targets = Array.from({ length: 6 }, (_, index) => `inner${index}.docx`);
  const document = makeDocx(makeParagraph("Outer."), {
    relations: targets.map((target, index) => ({ id: `rId${index}`, type: "aFChunk", target })),
    parts: Object.fromEntries(targets.map((target) => [`word/${target}`, inner])),
  });
  const { text } = await readOffice("docx", document);
  assert.deepEqual(text.match(/\[.*not read\]/g), [REST_UNREAD, UNREAD, UNREAD]);
  assert.ok(text.length < 25 * 1024 * 1024);
});

test("documents inside each other share the 24 MB while they are open", async () => {
  const body = makeParagraph("word ".repeat(100)).repeat(14_000);
  const include = (...documents: readonly Buffer[]): Buffer => {
    const names = documents.map((_, index) => `inner${index}.docx`);
    const parts = documents.map((data, index) => ({ name: `word/inner${index}.docx`, data }));
    const stored = makeDocx("", { relations: names.map((target) => ({ id: target, type: "aFChunk", target })) });
    const main = { name: "word/document.xml", data: `<w:document><w:body>${body}</w:body></w:document>` };
    return makeZip([...readStored(stored).filter(({ name }) => name !== main.name), main, ...parts]);
  };
  const { text } = await readOffice("docx", include(include(include(include(), include()))));
  const outerChars = "word ".length * 100 * 14_000;
  assert.ok(text.length - outerChars < 24 * 1024 * 1024, `${text.length} characters`);
  assert.equal(text.match(/\[.*not read\]/g)?.at(-1), REST_UNREAD);
});
