import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { defaultSettings, type Settings } from "../src/config/settings.ts";
import { openSession } from "../src/session/session.ts";
import { fetchSource } from "../src/verbs/fetch.ts";
import { readArtifact } from "../src/verbs/read.ts";
import { openCli } from "./cli.ts";
import { drawGraymaps, drawLine, makeScannedPdf, writePdf } from "./pdf.ts";

const OCR = ["--set", "ocr.languages=eng"] as const;
const LINES = [
  ["The harbour master closed the gate.", "It opens again on 14 March."],
  ["A second page with other words.", "Invoice number 10-4471."],
  ["The third page ends the report."],
] as const;
const scans = await makeScannedPdf(LINES);

/** A session on the store of a CLI harness, with OCR on, which collects the progress. */
async function openOcrSession(home: string, settings: Partial<Settings> = {}) {
  const session = await openSession({ settings: { ...defaultSettings, home, "ocr.languages": ["eng"], ...settings } });
  const progress: string[] = [];
  return {
    progress,
    session: { ...session, progress: (message: string) => void progress.push(message) },
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}

describe("scanned pages", () => {
  test("without OCR say exactly how it is switched on", async () => {
    await using cli = await openCli();
    const path = await cli.write("scan.pdf", scans);
    const { out } = await cli.run(["fetch", path]);
    assert.match(out, /^Failed to extract text from PDF: no readable text found$/m);
    assert.match(
      out,
      /OCR is off\. To switch it on, run npm install -g tesseract\.js-core @tesseract\.js-data\/eng and set/,
    );
  });

  test("are read with OCR, and the reply says that the text is guesswork", async () => {
    await using cli = await openCli();
    const path = await cli.write("scan.pdf", scans);
    assert.match((await cli.run(["fetch", path])).out, /OCR is off/);
    const { out } = await cli.run(["fetch", path, ...OCR]);
    for (const line of LINES.flat()) assert.ok(out.includes(line), `${line} in ${out}`);
    assert.match(out, /^The text of pages 1-3 is OCR guesswork/m);
    assert.doesNotMatch(out, /OCR is off/);
    assert.match((await cli.run(["fetch", path])).out, /no readable text found/, "off again, nothing is mixed up");
  });

  test("name the packages that are missing", async () => {
    await using cli = await openCli();
    const path = await cli.write("scan.pdf", scans);
    const { out } = await cli.run(["fetch", path, ...OCR, "--set", `ocr.packages=${cli.work}`]);
    assert.match(
      out,
      /OCR is on, but packages are missing: run npm install -g tesseract\.js-core @tesseract\.js-data\/eng,/,
    );
  });

  test("are recognised only where they were chosen, and never twice", async () => {
    await using cli = await openCli();
    const path = await cli.write("scan.pdf", scans);
    const ref = /af_[0-9a-f]{32}/.exec((await cli.run(["fetch", path])).out)?.[0] ?? assert.fail();
    await using ocr = await openOcrSession(cli.home);
    const { content } = await readArtifact(ref, { pages: "2" }, ocr.session);
    assert.match(content ?? "", /^<!-- page 2 -->\n\nA second page with other words\./);
    assert.deepEqual(ocr.progress, ["OCR: page 2 of 3"]);
    const answer = await readArtifact(ref, { pages: "2-3" }, ocr.session);
    assert.match(answer.content ?? "", /Invoice number 10-4471\.[\s\S]*The third page/);
    assert.deepEqual(ocr.progress, ["OCR: page 2 of 3", "OCR: page 3 of 3"]);
    assert.match((answer.fields.warnings ?? []).join("\n"), /The text of pages 2-3 is OCR guesswork/);
    await readArtifact(ref, { pages: "3" }, ocr.session);
    assert.equal(ocr.progress.length, 2);
  });

  test("stop when the time of a call is used up, and the next call continues", async () => {
    await using cli = await openCli();
    const path = await cli.write("scan.pdf", scans);
    await using ocr = await openOcrSession(cli.home, { "ocr.time": 0 });
    const first = await fetchSource(join(cli.work, path), {}, ocr.session);
    assert.match((first.fields.warnings ?? []).join("\n"), /stopped before page 2 of 3: read pages=2- to continue/);
    assert.match(first.content ?? "", /harbour master/);
    const ref = first.fields.artifact_ref ?? assert.fail();
    assert.match(
      (await readArtifact(ref, { pages: "2-" }, ocr.session)).content ?? "",
      /^<!-- page 2 -->\n\nA second page/,
    );
    const whole = await fetchSource(join(cli.work, path), {}, ocr.session);
    assert.match(whole.content ?? "", /harbour master[\s\S]*second page[\s\S]*third page/);
    assert.deepEqual(
      ocr.progress,
      [1, 2, 3].map((page) => `OCR: page ${page} of 3`),
    );
  });

  test("that take more CPU time than allowed are counted, and the rest of the document is read", async () => {
    await using cli = await openCli();
    const path = await cli.write("scan.pdf", scans);
    await using ocr = await openOcrSession(cli.home, { "ocr.page_cpu": 1 });
    const { fields } = await fetchSource(join(cli.work, path), {}, ocr.session);
    assert.match(
      (fields.warnings ?? []).join("\n"),
      /On 3 pages OCR failed or took longer than the setting ocr\.page_cpu allows\./,
    );
  });

  test("that lay upside down in the scanner are turned", async () => {
    await using cli = await openCli();
    const path = await cli.write("turned.pdf", await makeScannedPdf(LINES.slice(0, 1), { isUpsideDown: true }));
    assert.match((await cli.run(["fetch", path, ...OCR])).out, /The harbour master closed the gate\./);
  });

  test("with a stamp in text are recognised too; pages of text are not", async () => {
    await using cli = await openCli();
    const stamped = await cli.write("stamped.pdf", await makeScannedPdf(LINES.slice(0, 1), { stamp: "Received" }));
    assert.match((await cli.run(["fetch", stamped, ...OCR])).out, /The harbour master closed the gate\./);
    assert.doesNotMatch((await cli.run(["fetch", stamped])).out, /harbour|images without text/);
    const path = await cli.write("text.pdf", writePdf([{ content: drawLine("A page of text.", 72, 700) }]));
    const { out } = await cli.run(["fetch", path, ...OCR]);
    assert.match(out, /A page of text\./);
    assert.doesNotMatch(out, /OCR/);
  });
});

describe("an image", () => {
  const graymap = drawGraymaps([LINES[1]]);

  test("is read with OCR; without it the reply says how it is switched on", async () => {
    await using cli = await openCli();
    const path = await cli.write("picture.bmp", toBitmap((await graymap)[0] ?? assert.fail()));
    const off = (await cli.run(["fetch", path])).out;
    assert.match(off, /OCR is off\. To switch it on, run npm install/);
    assert.doesNotMatch(off, /No text is read from this kind/);
    const { out } = await cli.run(["fetch", path, ...OCR]);
    assert.match(out, /^A second page with other words\.$/m);
    assert.match(out, /^Its text is OCR guesswork/m);
  });

  test("that is damaged says that OCR failed", async () => {
    await using cli = await openCli();
    const path = await cli.write("picture.bmp", toBitmap((await graymap)[0] ?? assert.fail()).subarray(0, 200));
    const { out, status } = await cli.run(["fetch", path, ...OCR]);
    assert.match(out, /OCR of it failed/);
    assert.equal(status, 0);
  });
});

/** A bitmap of 8 bits per pixel, whose rows go upwards. */
function toBitmap(graymap: Uint8Array): Buffer {
  const match = /^P5\n(\d+) (\d+)\n255\n/.exec(Buffer.from(graymap.subarray(0, 100)).toString("latin1"));
  const [width, height] = [Number(match?.[1]), Number(match?.[2])];
  const rowBytes = Math.ceil(width / 4) * 4;
  const start = 54 + 1024;
  const bitmap = Buffer.alloc(start + rowBytes * height);
  bitmap.write("BM", 0, "latin1");
  for (const [at, value] of [
    [2, bitmap.length],
    [10, start],
    [14, 40],
    [18, width],
    [22, height],
    [46, 256],
  ] as const)
    bitmap.writeUInt32LE(value, at);
  bitmap.writeUInt16LE(1, 26);
  bitmap.writeUInt16LE(8, 28);
  for (let shade = 0; shade < 256; shade++) bitmap.writeUInt32LE(shade * 0x01_01_01, 54 + 4 * shade);
  const pixels = graymap.subarray(match?.[0].length ?? 0);
  for (let row = 0; row < height; row++)
    bitmap.set(pixels.subarray(row * width, (row + 1) * width), start + (height - 1 - row) * rowBytes);
  return bitmap;
}
