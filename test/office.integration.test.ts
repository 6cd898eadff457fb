/** Office documents through the real command line, the protocol and the library. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openCli } from "./cli.ts";
import { fetchFixture } from "./fixtures.ts";
import { openMcp } from "./mcp.ts";
import { makeDocx, makeParagraph, makePptx, makeShape, makeXlsx } from "./office.ts";
import { bombs } from "./office-bombs.ts";
import { encryptAgile } from "./office-encryption.ts";

const heading = (text: string): string => makeParagraph(text, '<w:outlineLvl w:val="0"/>');

const report = makeDocx(
  heading("Scope") +
    makeParagraph("This covers the locks.") +
    heading("Power") +
    makeParagraph("Every gate opens by hand."),
);
const budget = makeXlsx([
  { name: "Levels", rows: [["Station", "Level"], ...Array.from({ length: 6_000 }, (_, i) => [`Station ${i}`, i])] },
  {
    name: "Budget",
    rows: [
      ["Item", "Amount"],
      ["Paint", 120],
    ],
  },
  { name: "Old", rows: [["Secret", 1]], state: "hidden" },
]);
const talk = makePptx(
  ["Opening a lock", "When the power fails", "Questions"].map((title, i) => ({
    shapes: makeShape([title], "title") + makeShape([`Words of slide ${i + 1}.`]),
    ...(i === 1 ? { notes: "It takes two people eleven minutes.", isHidden: true } : {}),
  })),
);

describe("an office document", { timeout: 120_000 }, () => {
  test("says in its summary line how many sheets or slides it has", async () => {
    await using cli = await openCli();
    await cli.write("report.docx", report);
    await cli.write("budget.xlsx", budget);
    await cli.write("talk.pptx", talk);
    const summaryOf = async (name: string) => (await cli.run(["fetch", name])).out.split("\n")[0];
    assert.match(
      (await summaryOf("report.docx")) ?? "",
      /^\[Fetched Word document artifact: report\.docx, [\d.]+ KB\. Extracted \d+ chars/,
    );
    assert.match(
      (await summaryOf("budget.xlsx")) ?? "",
      /^\[Fetched spreadsheet artifact: budget\.xlsx, [\d.]+ KB, sheets 3\. /,
    );
    assert.match(
      (await summaryOf("talk.pptx")) ?? "",
      /^\[Fetched presentation artifact: talk\.pptx, [\d.]+ KB, slides 3\. /,
    );
  });

  test("says what its author had hidden", async () => {
    await using cli = await openCli();
    await cli.write("budget.xlsx", budget);
    await cli.write("talk.pptx", talk);
    const [workbook] = await cli.json("fetch", "budget.xlsx");
    assert.deepEqual(workbook.warnings, ["Hidden in the document, but part of this text: 1 sheet."]);
    const [slides] = await cli.json("fetch", "talk.pptx");
    assert.deepEqual(slides.warnings, ["Hidden in the document, but part of this text: 1 slide."]);
  });

  test("is read by slides, sheets, sections, lines, offset and query", async () => {
    await using cli = await openCli();
    await cli.write("report.docx", report);
    await cli.write("budget.xlsx", budget);
    await cli.write("talk.pptx", talk);
    const refOf = async (name: string) => (await cli.json("fetch", name))[0].artifact_ref;
    const [docx, xlsx, pptx] = [await refOf("report.docx"), await refOf("budget.xlsx"), await refOf("talk.pptx")];
    const read = async (...args: string[]) => (await cli.run(["read", ...args])).out;

    const slide = await read(pptx, "--pages", "2");
    assert.match(slide, /^\[Read af_[0-9a-f]{32}: slide 2 of 3, lines /);
    assert.match(
      slide,
      /## Slide 2: When the power fails \(hidden\)\n\nWords of slide 2\.\n\nNotes: It takes two people/,
    );
    assert.match(await read(pptx, "--pages", "2-3"), /: slides 2-3 of 3, lines /);
    assert.match(await read(pptx, "--section", "Slide 3"), /: slide 3 of 3, [\s\S]*Words of slide 3/);
    assert.match(
      await read(pptx, "--query", "eleven minutes"),
      /\[slide 2, lines \d+-\d+, offset \d+\]\n## Slide 2: When/,
    );

    const sheet = await read(xlsx, "--pages", "2");
    assert.match(sheet, /: sheet "Budget", lines /);
    assert.match(sheet, /## Budget\n\n\| Item \| Amount \|\n\| --- \| --- \|\n\| Paint \| 120 \|/);
    assert.match(await read(xlsx, "--section", "budget"), /: sheet "Budget", lines [\s\S]*Paint/);
    assert.match(await read(xlsx, "--query", "station 5999"), /\[sheet "Levels", rows \d+-6001, lines /);
    assert.match(await read(xlsx, "--lines", "1-4"), /: sheet "Levels", rows 1-\d+, lines 1-4 of /);
    const [all] = await cli.json("read", xlsx, "--pages", "1");
    assert.deepEqual([all.page_range, all.page_count, all.has_more], ["1", 3, true]);

    assert.match(await read(docx, "--section", "Power"), /"Power", lines [\s\S]*# Power\n\nEvery gate opens by hand\./);
    assert.match(await read(docx, "--offset", "9"), /This covers the locks/);
    const { status, err } = await cli.run(["read", pptx, "--pages", "9"]);
    assert.notEqual(status, 0);
    assert.match(err, /Slide 9 is past the end: the text has 3 slides/);
  });

  test("that is encrypted asks for its password and is read with it", async () => {
    await using cli = await openCli();
    await cli.write("secret.docx", encryptAgile(report, "mooring"));
    const [locked] = await cli.json("fetch", "secret.docx");
    assert.equal(locked.error, "Failed to extract text from document: password required");
    const { out } = await cli.run(["fetch", "secret.docx", "--password", "mooring"]);
    assert.match(out, /Every gate opens by hand\./);
    const [again] = await cli.json("read", locked.artifact_ref);
    assert.equal(again.content, null, "text opened by a password is not stored");
  });

  test("that is damaged keeps its bytes and gives a reason", async () => {
    await using cli = await openCli();
    await cli.write("cut.docx", report.subarray(0, 200));
    const [fields] = await cli.json("fetch", "cut.docx");
    assert.equal(fields.error, "Failed to extract text from Word document: corrupt");
    assert.match(fields.artifact_ref, /^af_/);
  });

  test("is read through the protocol", async () => {
    await using mcp = await openMcp();
    await mcp.write("talk.pptx", talk);
    const client = await mcp.client("2026-07-28", { env: { SPILLWAY_MCP_FORM: "both" } });
    const call = async (name: string, args: Record<string, unknown>) => {
      const { content, structuredContent } = await client.callTool({ name, arguments: args });
      return { text: JSON.stringify(content), fields: structuredContent as Record<string, unknown> };
    };
    const fetched = await call("web_fetch", { url: "talk.pptx" });
    assert.match(fetched.text, /presentation artifact: talk\.pptx, [^,]+, slides 3\. /);
    const ref = fetched.fields.artifact_ref;
    assert.match(
      (await call("read_artifact", { artifact_ref: ref, pages: "3" })).text,
      /slide 3 of 3, .*Words of slide 3/,
    );
    const found = await call("read_artifact", { artifact_ref: ref, query: "eleven minutes" });
    assert.match(JSON.stringify(found.fields.passages), /"page":"slide 2"/);
  });

  test("is read through the library", async () => {
    await using cli = await openCli();
    await cli.write("budget.xlsx", budget);
    const { summary, fields } = await fetchFixture(cli.work, "budget.xlsx");
    assert.match(summary, /sheets 3\. /);
    assert.deepEqual([fields.content_kind, fields.handler, fields.page_count], ["office_doc", "office", 3]);
  });

  test("made to exhaust a reader leaves the next one to be served", async () => {
    await using cli = await openCli();
    const wanted = ["200 MB of empty paragraphs", "tables nested 100,000 deep", "a part that claims 10 bytes"];
    for (const [index, bomb] of bombs.filter(({ name }) => wanted.includes(name)).entries()) {
      await cli.write(`bomb-${index}.docx`, bomb.make());
      const [fields] = await cli.json("fetch", `bomb-${index}.docx`);
      assert.equal(fields.error, "Failed to extract text from Word document: too large", bomb.name);
      await cli.write("good.docx", makeDocx(makeParagraph(`Still here after ${index}.`)));
      assert.match((await cli.run(["fetch", "good.docx"])).out, new RegExp(`Still here after ${index}\\.`));
    }
  });
});
