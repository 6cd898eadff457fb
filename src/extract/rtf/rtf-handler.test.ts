import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeDocuments } from "../../../test/fixtures-documents.ts";
import { handlerContract } from "../handler.contract.ts";
import { rtf } from "./rtf-handler.ts";
import { RtfText } from "./rtf-text.ts";

const report = makeDocuments().get("report.rtf") ?? assert.fail();
const asRtf = (bytes: Uint8Array) => ({ kind: "office_doc", mediaType: "application/rtf", bytes }) as const;

handlerContract(rtf, [
  { name: "a report", ...asRtf(report) },
  { name: "a report that is cut", ...asRtf(report.subarray(0, 700)) },
  { name: "an empty document", ...asRtf(Buffer.from("{\\rtf1}")) },
]);

function readRtf(source: string, chunkChars = source.length): string {
  const text = new RtfText();
  for (let at = 0; at < source.length; at += chunkChars) text.write(source.slice(at, at + chunkChars));
  return text.end().trim();
}

describe("RTF", () => {
  test("is read alike, however its bytes arrive", () => {
    const source = report.toString("latin1");
    const whole = readRtf(source);
    for (const chunkChars of [1, 3, 17, 64, 200]) assert.equal(readRtf(source, chunkChars), whole);
  });

  test("writes each header once, and no footer that is only a page number", () => {
    const section = String.raw`{\header Harbour office}{\footer Page \chpgn}{\footerf \chpgn 12}Text.\par `;
    assert.equal(readRtf(`{\\rtf1 ${section}${section}}`), "Harbour office\n\nText.\n\nText.\n\nPage");
  });

  test("decodes bytes by the code page of their font, two to a character where it says so", () => {
    const source = String.raw`{\rtf1\ansicpg1252{\fonttbl{\f2\fcharset128 MS Gothic;}}\f2 \'93\'fa\'96\'7b}`;
    assert.equal(readRtf(source), "日本");
  });

  test("reads surrogate pairs and skips the characters written for old readers", () => {
    assert.equal(readRtf(String.raw`{\rtf1\uc2 \u-10179\'3f\'3f\u-8704\'3f\'3f!}`), "😀!");
  });

  test("survives groups that nest without end, and unbalanced braces", () => {
    assert.equal(readRtf(`{\\rtf1 ${"{".repeat(50_000)}deep`), "deep");
    assert.equal(readRtf("{\\rtf1 one}}}}two"), "one two".replace(" ", ""));
  });

  test("takes time in proportion to its length", () => {
    const cpuFor = (count: number): number => {
      const start = process.cpuUsage();
      readRtf(`{\\rtf1 ${"{\\b word}\\'e9 ".repeat(count)}}`, 64 * 1024);
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    cpuFor(5_000);
    const [once, fourfold] = [cpuFor(20_000), cpuFor(80_000)];
    assert.ok(fourfold < Math.max(once, 20_000) * 12, `${once} and ${fourfold} microseconds`);
  });
});
