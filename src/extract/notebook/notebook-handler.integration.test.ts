import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeDocuments } from "../../../test/fixtures-documents.ts";
import { handlerContract, keep, run, segmentsOf } from "../handler.contract.ts";
import { notebook } from "./notebook-handler.ts";

const tides = makeDocuments().get("tides.ipynb") ?? assert.fail();
const asNotebook = (bytes: Uint8Array) => ({ kind: "text", mediaType: "application/x-ipynb+json", bytes }) as const;

handlerContract(notebook, [
  { name: "a notebook", ...asNotebook(tides) },
  { name: "a notebook that is cut", ...asNotebook(tides.subarray(0, 300)) },
  { name: "JSON that is no notebook", ...asNotebook(Buffer.from('{"cells": 3}')) },
]);

async function readNotebook(content: object): Promise<string> {
  await using kept = await keep(asNotebook(Buffer.from(JSON.stringify(content))));
  return segmentsOf(await run(notebook, kept.file))
    .map(({ text }) => text)
    .join("");
}

describe("a notebook", () => {
  test("of format 3 is read from its worksheet", async () => {
    const cells = [
      { cell_type: "heading", level: 2, source: ["Levels"] },
      { cell_type: "code", language: "r", input: "x <- 1", outputs: [{ output_type: "pyout", text: ["[1] 1"] }] },
    ];
    const text = await readNotebook({ nbformat: 3, worksheets: [{ cells }] });
    assert.match(text, /^## Levels\n\n```r cell 2\nx <- 1\n```\n\n```output\n\[1\] 1\n```/);
  });

  test("fences code that itself has fences", async () => {
    const cells = [{ cell_type: "code", source: 'text = "```"' }];
    assert.match(await readNotebook({ nbformat: 4, cells }), /^````python cell 1\ntext = "```"\n````/);
  });

  test("that is damaged is shown as it is", async () => {
    await using kept = await keep(asNotebook(Buffer.from('{"cells": [')));
    assert.deepEqual(segmentsOf(await run(notebook, kept.file))[0]?.text, '{"cells": [');
  });
});
