import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesOf, encoded, joined, utf8 } from "../../../test/samples.ts";
import { detectContentKind } from "../detect.ts";

const russian = "Съешь же ещё этих мягких французских булок, да выпей чаю. Ёлки стоят в снегу.\n";
const guesses = [
  { charset: "windows-1251", text: russian },
  { charset: "koi8-r", text: russian },
  { charset: "ibm866", text: russian },
  { charset: "iso-8859-5", text: russian },
  {
    charset: "windows-1252",
    text: "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich. Déjà vu à l’école.\n",
  },
  { charset: "windows-1250", text: "Příliš žluťoučký kůň úpěl ďábelské ódy. Zażółć gęślą jaźń, powiedział.\n" },
  { charset: "windows-1253", text: "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία και πάω παρακάτω.\n" },
  { charset: "windows-1254", text: "Pijamalı hasta yağız şoföre çabucak güvendi, şaşırdı.\n" },
  { charset: "windows-1255", text: "דג סקרן שט בים מאוכזב ולפתע מצא חברה נחמדה ליד הסלע\n" },
  { charset: "windows-1256", text: "نص حكيم له سر قاطع وذو شأن عظيم مكتوب على ثوب أخضر\n" },
  { charset: "windows-874", text: "เป็นมนุษย์สุดประเสริฐเลิศคุณค่า กว่าบรรดาฝูงสัตว์เดรัจฉาน\n" },
  { charset: "ibm850", text: "Größe, Maß und Höhe über dem Fluß. Déjà vu à l'été, ça va très bien, élève.\n" },
  { charset: "ibm855", text: russian },
  { charset: "shift_jis", text: "いろはにほへとちりぬるを、日本語の文章です。カタカナも使います。\n" },
  { charset: "euc-jp", text: "いろはにほへとちりぬるを、日本語の文章です。カタカナも使います。\n" },
  { charset: "gb18030", text: "我能吞下玻璃而不伤身体。中文网页的内容在这里。\n" },
  { charset: "big5", text: "我能吞下玻璃而不傷身體。中文網頁的內容在這裡。\n" },
  { charset: "euc-kr", text: "키스의 고유조건은 입술끼리 만나야 하고 특별한 기술은 필요치 않다.\n" },
];

for (const { charset, text } of guesses) {
  test(`text in ${charset} is recognised without any claim`, () => {
    const detection = detectContentKind({ firstBytes: encoded(text.repeat(3), charset) });
    assert.deepEqual([detection.kind, detection.charset], ["text", charset]);
  });
}

test("a byte-order mark beats the header's charset", () => {
  const bytes = joined(bytesOf("\xff\xfe"), new Uint8Array(Buffer.from("Größe und Maß\n", "utf16le")));
  const detection = detectContentKind({ firstBytes: bytes, headers: { "content-type": "text/plain; charset=utf-8" } });
  assert.equal(detection.charset, "utf-16le");
});

test("the header's charset beats the page's own, which beats the guess", () => {
  const body = encoded("<meta charset=windows-1252><p>Привет, мир и люди</p>", "windows-1251");
  const headers = { "content-type": "text/html; charset=windows-1251" };
  assert.equal(detectContentKind({ firstBytes: body, headers }).charset, "windows-1251");
  assert.equal(detectContentKind({ firstBytes: body }).charset, "windows-1252");
});

test("UTF-8 with a stale declaration stays UTF-8", () => {
  const body = utf8(`<?xml version="1.0" encoding="windows-1252"?><a>${russian}</a>`);
  assert.equal(detectContentKind({ firstBytes: body }).charset, "utf-8");
});

test("UTF-16 and UTF-32 without a mark are text", () => {
  const utf16 = new Uint8Array(Buffer.from("Some words in two bytes each.\n", "utf16le"));
  assert.equal(detectContentKind({ firstBytes: utf16 }).charset, "utf-16le");
  const utf32 = Uint8Array.from([..."Some words in four bytes each.\n"].flatMap((c) => [0, 0, 0, c.charCodeAt(0)]));
  const detection = detectContentKind({ firstBytes: utf32 });
  assert.deepEqual([detection.kind, detection.charset, detection.signals.content], ["text", "utf-32be", "utf-32be"]);
});

test("a few bytes in a declared charset are text, without the declaration they are not", () => {
  const firstBytes = encoded("Café à l’école", "windows-1252");
  const headers = { "content-type": "text/plain; charset=iso-8859-1" };
  assert.deepEqual(detectContentKind({ firstBytes, headers }).charset, "windows-1252");
  assert.equal(detectContentKind({ firstBytes }).kind, "unknown_binary");
});

test("text from mainframes is text", () => {
  const letters = "abcdefghijklmnopqrstuvwxyz";
  const codes = [0x81, 0x91, 0xa2].flatMap((first) =>
    Array.from({ length: first === 0xa2 ? 8 : 9 }, (_, i) => first + i),
  );
  const words = "the quick brown fox jumps over the lazy dog again and again";
  const firstBytes = Uint8Array.from(words, (letter) => codes[letters.indexOf(letter)] ?? 0x40);
  const detection = detectContentKind({ firstBytes });
  assert.deepEqual([detection.kind, detection.charset, detection.signals.content], ["text", "ebcdic", "ebcdic"]);
});

test("a prefix cut inside a character is still text", () => {
  for (const [charset, text] of [
    ["utf-8", `${russian}日本語と絵文字🎉`],
    ["shift_jis", guesses.find(({ charset }) => charset === "shift_jis")?.text ?? ""],
  ] as const) {
    const bytes = charset === "utf-8" ? utf8(text) : encoded(text, charset);
    for (let end = 40; end <= bytes.length; end++) {
      const detection = detectContentKind({ firstBytes: bytes.subarray(0, end) });
      assert.deepEqual([detection.kind, detection.charset], ["text", charset], `cut at ${end}`);
    }
  }
});

test("plain ASCII labelled UTF-16 is read as UTF-8, and the wrong label is noted", () => {
  const firstBytes = utf8("BMW annual report 1");
  const headers = { "content-type": "text/plain; charset=utf-16le" };
  const { charset, signals } = detectContentKind({ firstBytes, headers });
  assert.equal(charset, "utf-8");
  assert.match(signals.notes.join(), /charset utf-16le, but the bytes are utf-8/);
});
