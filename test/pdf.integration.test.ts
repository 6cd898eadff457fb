import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { defaultSettings } from "../src/config/settings.ts";
import type { Handler } from "../src/extract/handler.ts";
import { pdf } from "../src/extract/pdf/pdf-handler.ts";
import { openSession } from "../src/session/session.ts";
import { readArtifact } from "../src/verbs/read.ts";
import { openCli } from "./cli.ts";
import { drawLine, makePdfWithPages, makeStream, withPageMarks, writePdf } from "./pdf.ts";

const numberedPages = (count: number): string[] => Array.from({ length: count }, (_, i) => `This is page ${i + 1}.`);

const pageWith = (text: string) => ({ content: drawLine(text, 72, 700) });

/** Glyphs of a font without a character map. */
const glyphs = Array.from({ length: 200 }, (_, i) => (400 + ((i * 37) % 900)).toString(16).padStart(4, "0")).join("");
const garbledPage = {
  content: `BT /G 10 Tf 20 700 Td <${glyphs}> Tj ET`,
  entries: "/Resources << /Font << /G 20 0 R >> >>",
};

/** A colour space defined by another, and so on, deeper than PDFium's stack. */
const crashingPage = {
  content: `/C cs 0 0 0 scn ${drawLine("x", 72, 700)}`,
  entries: "/Resources << /Font << /F1 3 0 R >> /ColorSpace << /C 10000 0 R >> >>",
};
const deepObjects: Record<number, string> = {
  20: "<< /Type /Font /Subtype /Type0 /BaseFont /Foo /Encoding /Identity-H /DescendantFonts [21 0 R] >>",
  21: "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Foo /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>",
  ...Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [10_000 + i, `[/Pattern ${10_001 + i} 0 R]`])),
  15000: "/DeviceRGB",
};

/** Reads pages from what is stored; a document that would have to be parsed is an error. */
async function readWithoutParser(home: string, ref: string, pages: string): Promise<string | null> {
  await using session = await openSession({ settings: { ...defaultSettings, home } });
  const extract: Handler["extract"] = () => {
    throw new Error("The document was parsed.");
  };
  const { content } = await readArtifact(ref, { pages }, { ...session, handlers: [{ ...pdf, extract }] });
  return content;
}

/** Pages of 700 characters in ten lines. */
function fullPages(count: number) {
  return Array.from({ length: count }, (_, index) => {
    const lines = Array.from(
      { length: 10 },
      (_, line) => `Page ${index + 1}, line ${line + 1}: ${"a few words ".repeat(4)}here`,
    );
    return { text: lines.join("\n"), content: lines.map((text, line) => drawLine(text, 50, 750 - 20 * line)).join("") };
  });
}

const scannedPage = {
  content: "q 500 0 0 700 50 50 cm /Im Do Q",
  entries: "/Resources << /XObject << /Im 30 0 R >> >>",
};

describe("a PDF", () => {
  test("gives its summary line, an excerpt and all fields", async () => {
    await using cli = await openCli();
    await cli.write("report.pdf", makePdfWithPages(numberedPages(3)));
    const { out, status } = await cli.run(["fetch", "report.pdf"]);
    assert.equal(status, 0);
    assert.match(
      out,
      /^\[Fetched PDF artifact: report\.pdf, \d[\d.]* KB, pages 3\. Extracted 100 chars \(truncated=false\)\. Use artifact_ref=af_[0-9a-f]{32} for targeted follow-up\.\]\n/,
    );
    const shown = /content \w+: .*\n\n([\s\S]*)\n\n\[End untrusted content \w+\.\]\n$/.exec(out)?.[1];
    assert.equal(shown, withPageMarks(numberedPages(3)));
    const [fields] = await cli.json("fetch", "report.pdf");
    assert.deepEqual(
      [
        fields.content_kind,
        fields.page_count,
        fields.page_range,
        fields.handler,
        fields.extraction_truncated,
        fields.limit_chars,
      ],
      ["pdf", 3, "1-3", "pdf", false, 4_000],
    );
  });

  test("is recognised under any name, and its bytes are never shown", async () => {
    await using cli = await openCli();
    for (const name of ["a.txt", "a.html", "a", "a.bin"]) {
      await cli.write(name, makePdfWithPages(["Words on paper"]));
      const { out } = await cli.run(["fetch", name]);
      assert.match(out, /^\[Fetched PDF/);
      assert.ok(out.includes("Words on paper") && !out.includes("%PDF") && !out.includes("endobj"));
    }
  });

  test("is read by pages, even beyond what was extracted, and never parsed twice", async () => {
    await using cli = await openCli();
    await cli.write("long.pdf", makePdfWithPages(numberedPages(5_000)));
    const set = ["--set", "extract.fetch_chars=1000"];
    const [fetched] = await cli.json("fetch", "long.pdf", ...set);
    assert.deepEqual([fetched.page_count, fetched.extraction_truncated, fetched.truncated], [5_000, true, true]);
    assert.match(fetched.warnings.join(), /pages 1-\d+ of 5,000/);
    const ref = fetched.artifact_ref;
    const [last] = await cli.json("read", ref, "--pages", "4999-5000");
    assert.deepEqual(
      [last.content, last.page_range],
      [withPageMarks(["This is page 4999.", "This is page 5000."], 4_999), "4999-5000"],
    );
    const [reply] = await cli.json("read", ref, "--query", "page 4321");
    assert.match(reply.content, /This is page 4321\./);
    for (const pages of ["212", "4998"])
      assert.equal(
        await readWithoutParser(cli.home, ref, pages),
        withPageMarks([`This is page ${pages}.`], Number(pages)),
      );
  });

  test("is read at a far page without the pages before it, and says what is not known", async () => {
    await using cli = await openCli();
    await cli.write("long.pdf", makePdfWithPages(numberedPages(2_000)));
    const [fetched] = await cli.json("fetch", "long.pdf", "--set", "extract.fetch_chars=1000");
    const ref = fetched.artifact_ref;
    assert.deepEqual([fetched.extracted_chars, fetched.has_more], [null, true]);
    const [far] = await cli.json("read", ref, "--pages", "1990-1991");
    assert.equal(far.content, withPageMarks(["This is page 1990.", "This is page 1991."], 1_990));
    assert.deepEqual([far.offset, far.start_line, far.end_line, far.total_chars, far.total_lines], Array(5).fill(null));
    assert.deepEqual(
      [far.page_range, far.page_count, far.next_offset, far.has_more],
      ["1990-1991", 2_000, null, false],
    );
    assert.match(far.warnings.join(), /at least 80; pages 1990-1991 of 2,000 read so far/);
    const [start] = await cli.json("read", ref, "--max-chars", "1000");
    assert.match(start.warnings.join(), /pages 1-\d\d\d? of 2,000 read so far/, "the pages between were not extracted");
    assert.equal(await readWithoutParser(cli.home, ref, "1990-1991"), far.content, "nor parsed twice");
    await assert.rejects(readWithoutParser(cli.home, ref, "1500"), /\(failed\)/);
    assert.match((await cli.run(["read", ref, "--pages", "2001"])).err, /Page 2001 is past the end/);
  });

  test("is read on, page by page, where offsets are not known", async () => {
    await using cli = await openCli();
    const pages = fullPages(200);
    await cli.write("long.pdf", writePdf(pages.map(({ content }) => ({ content }))));
    const { artifact_ref: ref } = (await cli.json("fetch", "long.pdf", "--set", "extract.fetch_chars=1000"))[0];
    let [joined, next] = ["", "150-152,198-"];
    for (let steps = 0; next !== undefined && steps < 20; steps++) {
      const [part] = await cli.json("read", ref, "--pages", next, "--max-chars", "1000");
      assert.ok(part.content.length <= 1_000);
      assert.equal(part.next_offset, null);
      joined += part.content;
      next = part.next_pages;
    }
    const texts = pages.map(({ text }) => text);
    const expected = withPageMarks(texts.slice(149, 152), 150) + withPageMarks(texts.slice(197), 198);
    assert.equal(joined.replace(/\s/g, ""), expected.replace(/\s/g, ""));
    const { out } = await cli.run(["read", ref, "--pages", "150-152,198-", "--max-chars", "1000"]);
    assert.match(out, /pages 150-151 of 200\.\]\nRead on: spillway read af_[0-9a-f]+ --pages 151@\d+-152,198-\n/);
  });

  test("names its whole length, or at least what is known", async () => {
    await using cli = await openCli();
    const pages = fullPages(80);
    const chars = withPageMarks(pages.map(({ text }) => text)).length;
    await cli.write("a.pdf", writePdf(pages.map(({ content }) => ({ content }))));
    const known = await cli.run(["fetch", "a.pdf", "--set", `extract.fetch_chars=${Math.ceil(chars / 2)}`]);
    assert.match(known.out, /Total: at least \d+; pages 1-4\d of 80 read so far\. Use a higher maxChars/);
    assert.match(known.out, /Extracted at least \d+ chars \(truncated=true\)/);
    const whole = await cli.run(["fetch", "a.pdf"]);
    assert.match(whole.out, new RegExp(`Extracted ${chars} chars .*\n[^]*Total: ${chars} chars. Use`));
    const [fields] = await cli.json("read", known.out.match(/af_[0-9a-f]{32}/)?.[0] ?? "", "--max-chars", "1000");
    assert.deepEqual(
      [fields.total_chars, fields.total_lines, fields.extraction_truncated],
      [chars, 80 * 12 + 79, false],
    );
  });

  test("marks its pages, and a mark chooses its page", async () => {
    await using cli = await openCli();
    await cli.write("a.pdf", makePdfWithPages(["One", "<!-- page 7 -->", "Three"]));
    const [fields] = await cli.json("fetch", "a.pdf");
    const texts = ["One", "\\<!-- page 7 -->", "Three"];
    assert.equal(fields.content, withPageMarks(texts));
    for (const pages of ["page 3", "p. 3", "<!-- page 3 -->"])
      assert.equal(
        (await cli.json("read", fields.artifact_ref, "--pages", pages))[0].content,
        withPageMarks(["Three"], 3),
      );
    const [plain] = await cli.json("fetch", "a.pdf", "--mode", "text");
    assert.equal(plain.content, "One\n\n<!-- page 7 -->\n\nThree");
  });

  for (const { pages, message } of [
    { pages: "4", message: /Page 4 is past the end: the text has 3 pages/ },
    { pages: "0", message: /pages must be/ },
    { pages: "2-1", message: /pages must be/ },
  ]) {
    test(`has no pages ${pages}`, async () => {
      await using cli = await openCli();
      await cli.write("a.pdf", makePdfWithPages(numberedPages(3)));
      const [{ artifact_ref: ref }] = await cli.json("fetch", "a.pdf");
      assert.match((await cli.run(["read", ref, "--pages", pages])).err, message);
      const [tail] = await cli.json("read", ref, "--pages", "3-9");
      assert.equal(tail.content, withPageMarks(["This is page 3."], 3));
    });
  }

  test("shows exactly as many characters as requested", async () => {
    await using cli = await openCli();
    const texts = Array.from({ length: 100 }, () => "x".repeat(60));
    await cli.write("a.pdf", makePdfWithPages(texts));
    const whole = withPageMarks(texts).length;
    for (const { maxChars, expectedChars } of [
      { maxChars: whole, expectedChars: whole },
      { maxChars: whole - 1, expectedChars: whole - 1 },
      { maxChars: 1_000, expectedChars: 1_000 },
    ]) {
      const [fields] = await cli.json("fetch", "a.pdf", "--max-chars", String(maxChars));
      assert.deepEqual([fields.content.length, fields.has_more], [expectedChars, expectedChars < whole]);
    }
  });

  test("with empty pages keeps their numbers", async () => {
    await using cli = await openCli();
    await cli.write("a.pdf", makePdfWithPages(["", "", "third", ""]));
    const [fields] = await cli.json("fetch", "a.pdf");
    assert.equal(fields.content.trim(), withPageMarks(["third"], 3));
    const [third] = await cli.json("read", fields.artifact_ref, "--pages", "3");
    assert.equal(third.content, withPageMarks(["third"], 3));
    const [first] = await cli.json("read", fields.artifact_ref, "--pages", "1");
    assert.equal(first.content, "");
  });

  const image = makeStream(
    "/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8",
    "0",
  );
  for (const { name, body, reason, detail } of [
    {
      name: "damaged bytes",
      body: Buffer.from("%PDF-1.7\nnothing that any reader could use\n"),
      reason: "corrupt",
      detail: "",
    },
    { name: "blank pages only", body: makePdfWithPages(["", ""]), reason: "no readable text found", detail: "" },
    {
      name: "a scan",
      body: Buffer.from(
        writePdf([{ content: "600 0 0 700 0 0 cm /I Do", entries: "/Resources << /XObject << /I 20 0 R >> >>" }], {
          objects: { 20: image },
        }),
      ),
      reason: "no readable text found",
      detail: "1 of 1 pages are images",
    },
  ]) {
    test(`of ${name} keeps its ref and reports: ${reason}`, async () => {
      await using cli = await openCli();
      await cli.write("bad.pdf", body);
      const { out, status } = await cli.run(["fetch", "bad.pdf"]);
      assert.equal(status, 0);
      const [summary = "", sentence, ...rest] = out.trimEnd().split("\n");
      assert.match(summary, /^\[Fetched PDF artifact: bad\.pdf.*artifact_ref=af_/);
      assert.equal(sentence, `Failed to extract text from PDF: ${reason}`);
      assert.ok(rest.join("\n").includes(detail));
      const [fields] = await cli.json("fetch", "bad.pdf");
      assert.deepEqual([fields.error, fields.content], [`Failed to extract text from PDF: ${reason}`, null]);
      assert.deepEqual((await cli.run(["cat", "--raw", fields.artifact_ref])).bytes, body);
      assert.equal((await cli.run(["cat", fields.artifact_ref])).status, 1);
    });
  }

  test("that is encrypted asks for its password, is read with it, and neither is stored", async () => {
    await using cli = await openCli();
    await cli.write(
      "secret.pdf",
      writePdf([{ content: drawLine("Sealed words", 72, 700) }], { userPassword: "open sesame" }),
    );
    const [fields] = await cli.json("fetch", "secret.pdf");
    assert.equal(fields.error, "Failed to extract text from PDF: password required");
    assert.match(
      fields.warnings.join(" "),
      /read_artifact with its artifact_ref and the parameter password; .* --password/,
    );
    const ref = fields.artifact_ref;
    assert.match((await cli.run(["cat", ref])).err, /--password/);
    const [wrong] = await cli.json("read", ref, "--password", "guess");
    assert.equal(wrong.error, "Failed to extract text from PDF: wrong password");
    const [right] = await cli.json("read", ref, "--password", "open sesame");
    assert.equal(right.content, "Sealed words");
    assert.equal((await cli.run(["cat", ref, "--password", "open sesame"])).out, "Sealed words");
    assert.equal((await cli.json("fetch", "secret.pdf", "--password", "open sesame"))[0].content, "Sealed words");
    const [again] = await cli.json("read", ref);
    assert.equal(again.error, "Failed to extract text from PDF: password required");
    const files = await readdir(cli.home, { recursive: true, withFileTypes: true });
    for (const file of files.filter((each) => each.isFile())) {
      const text = await readFile(join(file.parentPath, file.name), "latin1");
      assert.ok(!text.includes("Sealed words") && !text.includes("sesame"), file.name);
    }
  });

  test("with a damaged trailer is read by the second engine", async () => {
    await using cli = await openCli();
    const validPdf = makePdfWithPages(["First words", "Second words"]).toString("latin1");
    await cli.write("broken.pdf", Buffer.from(validPdf.replace(" >>\nstartxref", " X>\nstartxref"), "latin1"));
    const [fields] = await cli.json("fetch", "broken.pdf");
    assert.equal(fields.content, withPageMarks(["First words", "Second words"]));
    assert.deepEqual([fields.page_count, fields.error], [2, undefined]);
  });

  test("with text that no viewer shows reports how much", async () => {
    await using cli = await openCli();
    const page = { content: `${drawLine("Seen", 72, 700)}3 Tr\n${drawLine("Unseen", 72, 650)}` };
    await cli.write("hidden.pdf", writePdf([page, page]));
    const [fields] = await cli.json("fetch", "hidden.pdf");
    assert.match(fields.warnings.join(), /12 characters of the text cannot be seen by a person/);
  });

  test("is read on after a page that crashes the engine", async () => {
    await using cli = await openCli();
    await cli.write(
      "deep.pdf",
      writePdf([garbledPage, crashingPage, pageWith("Last words")], { objects: deepObjects }),
    );
    const [fields] = await cli.json("fetch", "deep.pdf");
    assert.ok(fields.content.endsWith(withPageMarks(["x", "Last words"], 2)), "the second engine reads that page");
    assert.deepEqual([fields.page_count, fields.page_range, fields.error], [3, "1-3", undefined]);
    assert.match(fields.warnings.join(), /The characters of page 1 are guesswork/);
    await cli.write("plain.pdf", makePdfWithPages(["The next one"]));
    assert.equal((await cli.json("fetch", "plain.pdf"))[0].content, "The next one");
  });

  test("that fills the extraction limit exactly is complete", async () => {
    await using cli = await openCli();
    const pages = numberedPages(60);
    await cli.write("a.pdf", makePdfWithPages(pages));
    const chars = withPageMarks(pages).length;
    const [fields] = await cli.json("fetch", "a.pdf", "--set", `extract.fetch_chars=${chars}`);
    assert.deepEqual([fields.extracted_chars, fields.extraction_truncated, fields.warnings], [chars, false, []]);
  });

  test("with scanned pages reports how many", async () => {
    await using cli = await openCli();
    await cli.write("mixed.pdf", writePdf([pageWith("Text"), scannedPage, scannedPage], { objects: { 30: image } }));
    const [fields] = await cli.json("fetch", "mixed.pdf");
    assert.match(fields.warnings.join(), /2 of 3 pages are images without text/);
  });

  test("is read completely by several readers at once", async () => {
    await using cli = await openCli();
    await cli.write("book.pdf", makePdfWithPages(numberedPages(300)));
    const { artifact_ref: ref } = (await cli.json("fetch", "book.pdf", "--set", "extract.fetch_chars=1000"))[0];
    const readings = ["2", "40", "7-9", "299", "100-200"].map((pages) => cli.json("read", ref, "--pages", pages));
    const whole = cli.json("cat", "book.pdf");
    for (const [reading] of await Promise.all(readings))
      assert.match(reading.content, /^<!-- page \d+ -->\n\nThis is page/);
    for (const text of [(await whole)[0].text, (await cli.json("cat", ref))[0].text])
      assert.equal(text, withPageMarks(numberedPages(300)));
  });

  test("that is encrypted and long is read to its last page", async () => {
    await using cli = await openCli();
    const lines = Array.from({ length: 60 }, (_, i) =>
      drawLine(`Line ${i} of a page that is full of words`, 72, 780 - 12 * i),
    );
    const pages = Array.from({ length: 2_500 }, () => ({ content: lines.join("") }));
    await cli.write("long.pdf", writePdf([...pages, pageWith("The very end")], { userPassword: "open" }));
    const { artifact_ref: ref } = (await cli.json("fetch", "long.pdf"))[0];
    const [reading] = await cli.json("read", ref, "--pages", "2501", "--password", "open");
    assert.equal(reading.content, withPageMarks(["The very end"], 2_501));
  });

  test("is read by sections of its outline", async () => {
    await using cli = await openCli();
    const outline = {
      20: "<< /First 21 0 R /Last 22 0 R /Count 2 >>",
      21: "<< /Title (Beginning) /Parent 20 0 R /Next 22 0 R /Dest [100 0 R /Fit] >>",
      22: "<< /Title (The end) /Parent 20 0 R /Prev 21 0 R /Dest [104 0 R /Fit] >>",
    };
    const pages = ["Beginning of it all", "Middle", "The end"].map((text) => ({ content: drawLine(text, 72, 700) }));
    await cli.write(
      "book.pdf",
      writePdf(pages, { objects: outline, catalog: "/Outlines 20 0 R", info: "/Title (A book)" }),
    );
    const [fields] = await cli.json("fetch", "book.pdf");
    const [part] = await cli.json("read", fields.artifact_ref, "--section", "beginning");
    assert.equal(part.content.trim(), withPageMarks(["Beginning of it all", "Middle"]));
    assert.equal(part.page_range, "1-2");
  });

  test("that takes too long is reported, and read with a higher limit", async () => {
    await using cli = await openCli();
    await cli.write("a.pdf", makePdfWithPages(numberedPages(60_000)));
    await cli.write("warm-up.pdf", makePdfWithPages(numberedPages(1)));
    const withCpu = (cpu: string) => ["--set", "extract.wall=1h", "--set", `extract.cpu=${cpu}`];
    const limits = withCpu("1s");
    // The start of the child is not part of what is measured.
    await cli.json("cat", "warm-up.pdf", ...limits);
    const [slow] = await cli.json("cat", "a.pdf", ...limits);
    assert.deepEqual([slow.error, slow.extraction_truncated], ["Failed to extract text from PDF: too slow", true]);
    const { err } = await cli.run(["read", slow.artifact_ref, "--lines", "119990", ...limits]);
    assert.match(err, /Line 119990 was not reached: extraction ended after [\d,]+ lines \(too slow\)\./);
    const [fields] = await cli.json("cat", "a.pdf", ...withCpu("10m"));
    assert.deepEqual([fields.text.endsWith("This is page 60000."), fields.extraction_truncated], [true, false]);
  });
});
