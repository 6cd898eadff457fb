import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openCli } from "../../../test/cli.ts";
import { frame, makeIwork, makeList, makeStorage, varint } from "../../../test/iwork-file.ts";
import { makeZip } from "../../../test/zip.ts";
import { handlerContract, keep, run, segmentsOf } from "../handler.contract.ts";
import { iwork } from "./iwork-handler.ts";

const asPages = (bytes: Uint8Array) =>
  ({ kind: "office_doc", mediaType: "application/vnd.apple.pages", bytes }) as const;

const pages = makeIwork({ Document: [makeStorage("Levels of the river\ufffc\nrise.")] });
const deck = makeIwork({
  "Slide-2": [makeStorage("Third")],
  Slide: [makeStorage("First"), makeStorage(" ")],
  "Slide-1": [makeStorage("Second\u2028line")],
  MasterSlide: [makeStorage("Sample text")],
  "Tables/DataList-3": [makeList(["Aldmoor", "Heron"])],
});
const old = makeZip([
  {
    name: "index.xml",
    data: "<sl:document><sf:stylesheet><sf:p>Style</sf:p></sf:stylesheet><sf:p>Old <sf:span>words</sf:span></sf:p><sf:ct sfa:s='Cell'/></sl:document>",
  },
]);

handlerContract(iwork, [
  { name: "a document", ...asPages(pages) },
  { name: "a document that is cut", ...asPages(pages.subarray(0, 40)) },
]);

async function read(bytes: Uint8Array) {
  await using kept = await keep(asPages(bytes));
  const items = await run(iwork, kept.file);
  const text = segmentsOf(items)
    .map((segment) => segment.text)
    .join("");
  return { text: text.trim(), failed: items.flatMap((item) => ("failed" in item ? [item.failed] : []))[0] };
}

describe("a document of Pages, Numbers or Keynote", () => {
  test("is read by the texts that it stores, slides in order, without those of templates", async () => {
    assert.equal((await read(pages)).text, "Levels of the river\nrise.");
    assert.equal(
      (await read(deck)).text,
      "## Slide 1\n\nFirst\n\n## Slide 2\n\nSecond\nline\n\n## Slide 3\n\nThird\n\nAldmoor\n\nHeron",
    );
  });

  test("of before 2013 is read from its XML", async () => {
    assert.equal((await read(old)).text, "Old words\n\nCell");
  });

  test("without texts lists its files", async () => {
    const { text } = await read(makeIwork({ Document: [makeStorage("")] }, [{ name: "preview.jpg", data: "x" }]));
    assert.match(text, /^Index\/Document\.iwa .*\n[\s\S]*preview\.jpg/);
  });

  test("whose blocks lie about their length is listed too", async () => {
    const claims = frame(Buffer.concat([varint(2 ** 31), Buffer.from([0, 97])]));
    const before = frame(Buffer.from([8, 4, 97, 98, 9, 99]));
    for (const data of [claims, before]) {
      const { text } = await read(makeZip([{ name: "Index/Document.iwa", data }]));
      assert.match(text, /^Index\/Document\.iwa/);
    }
  });

  test("says what is missing and leads to the preview, which is read by its entry", async () => {
    await using cli = await openCli();
    const preview = { name: "preview.txt", data: "x" };
    const path = await cli.write("plan.pages", makeIwork({ Document: [makeStorage("Words")] }, [preview]));
    const [fields] = await cli.json("fetch", path);
    assert.equal(fields.content.trim(), "Words");
    assert.match(
      fields.warnings.join(" "),
      /in the order in which they are stored; its layout, numbers and formulas are not read/,
    );
    const [entry] = await cli.json("read", fields.artifact_ref, "--entry", "preview.txt");
    assert.equal(entry.content, "x");
  });
});
