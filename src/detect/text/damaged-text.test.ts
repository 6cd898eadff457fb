import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { memoryBody } from "../../../test/detection.ts";
import { encoded, joined, noise, utf8 } from "../../../test/samples.ts";
import { confirmKind } from "../confirm.ts";

const sentences = {
  Chinese: "今天的天气很好，我们去公园散步，看到了很多花。",
  Japanese: "今日は天気がいいので、公園を散歩しました。",
  Korean: "오늘은 날씨가 좋아서 공원을 산책했습니다.",
  Russian: "Сегодня хорошая погода, мы гуляли в парке.",
  Arabic: "الطقس جميل اليوم وذهبنا إلى الحديقة.",
  French: "Aujourd'hui il fait très beau, nous étions près de l'école.",
  English: "Today the weather is fine and we walked in the park.",
};
const invalidBytes = [0x80, 0x92, 0xa0, 0xb0, 0xc3, 0xe9, 0xf5, 0xff];

const makePage = (sentence: string): Uint8Array =>
  utf8(`<!doctype html><html><head><meta charset="utf-8"><title>A page</title></head><body>
${`<p>${sentence}</p>\n`.repeat(80)}</body></html>`);

/** The bytes with some others between them, spread evenly behind the head of the page. */
function spoil(bytes: Uint8Array, count: number, value: number): Uint8Array {
  const step = Math.floor((bytes.length - 200) / count);
  const places = Array.from({ length: count }, (_, index) => 200 + index * step);
  const parts = places.map((place, index) =>
    joined(bytes.subarray(index === 0 ? 0 : places[index - 1], place), Uint8Array.of(value)),
  );
  return joined(...parts, bytes.subarray(places.at(-1)));
}

async function detect(bytes: Uint8Array, type?: string) {
  const { kind, charset, signals } = await confirmKind(
    memoryBody(bytes),
    type === undefined ? {} : { headers: { "content-type": type } },
  );
  return { kind, charset, notes: signals.notes };
}

describe("a page that is declared as UTF-8", () => {
  for (const [language, sentence] of Object.entries(sentences)) {
    for (const count of [1, 12]) {
      test(`stays UTF-8 with ${count} invalid bytes: ${language}`, async () => {
        for (const value of invalidBytes) {
          const bytes = spoil(makePage(sentence), count, value);
          for (const type of ["text/html; charset=utf-8", "text/html", undefined]) {
            const { kind, charset, notes } = await detect(bytes, type);
            assert.deepEqual([kind, charset], ["html", "utf-8"], `0x${value.toString(16)} under ${type}`);
            assert.match(notes.join(), /Some bytes from \d+ on are not valid utf-8/);
          }
        }
      });
    }
  }

  for (const { charset, sentence } of [
    { charset: "windows-1252", sentence: sentences.French },
    { charset: "windows-1251", sentence: sentences.Russian },
  ]) {
    test(`is read as ${charset} if that is what it is`, async () => {
      const bytes = encoded(`${sentence}\n`.repeat(50), charset);
      assert.deepEqual((await detect(bytes, "text/plain; charset=utf-8")).charset, charset);
    });
  }

  test("is binary if nothing in it is text", async () => {
    assert.equal((await detect(noise(5_000), "text/html; charset=utf-8")).kind, "unknown_binary");
  });
});

describe("a text without a declaration", () => {
  for (const language of ["Chinese", "Japanese", "Korean", "Russian", "Arabic"] as const) {
    test(`stays UTF-8 with an invalid byte: ${language}`, async () => {
      for (const value of invalidBytes) {
        const bytes = spoil(utf8(`${sentences[language]}\n`.repeat(80)), 1, value);
        assert.deepEqual((await detect(bytes)).charset, "utf-8", `0x${value.toString(16)}`);
      }
    });
  }
});

describe("a text that is declared in another charset", () => {
  for (const { charset, sentence } of [
    { charset: "shift_jis", sentence: sentences.Japanese },
    { charset: "euc-jp", sentence: sentences.Japanese },
    { charset: "gb18030", sentence: sentences.Chinese },
    { charset: "big5", sentence: "今天的天氣很好，我們去公園散步，看到了很多花。" },
    { charset: "euc-kr", sentence: sentences.Korean },
  ]) {
    test(`keeps ${charset} with an invalid byte`, async () => {
      const bytes = spoil(encoded(`${sentence}\n`.repeat(100), charset), 1, 0xff);
      assert.deepEqual(
        await detect(bytes, `text/plain; charset=${charset}`).then(({ kind, charset: found }) => [kind, found]),
        ["text", charset],
      );
    });
  }
});
