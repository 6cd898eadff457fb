import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { decodeEntities, scanXml, XmlLimitError } from "./scan-xml.ts";

/** The events of a document as one string, with the document written in chunks of this size. */
function trace(xml: string, chunkChars = xml.length): string {
  const out: string[] = [];
  let text = "";
  const flush = () => {
    if (text !== "") out.push(JSON.stringify(text));
    text = "";
  };
  const scanner = scanXml({
    open(name, tag) {
      flush();
      out.push(`<${name}${tag.get("id") === undefined ? "" : ` id=${tag.get("id")}`}>`);
    },
    close(name) {
      flush();
      out.push(`</${name}>`);
    },
    text(piece) {
      text += piece;
    },
  });
  for (let at = 0; at < xml.length; at += Math.max(1, chunkChars)) scanner.write(xml.slice(at, at + chunkChars));
  scanner.end();
  flush();
  return out.join("");
}

describe("scanXml", () => {
  const cases = [
    { name: "prefixes and attributes", xml: `<w:p w:id="7"><w:t>x</w:t></w:p>`, events: `<p id=7><t>"x"</t></p>` },
    { name: "an empty element", xml: `<a><b id='1'/></a>`, events: "<a><b id=1></b></a>" },
    { name: "a > inside a value", xml: `<a id="1>2">x</a>`, events: `<a id=1>2>"x"</a>` },
    { name: "entities", xml: "<a>1 &lt; 2 &amp; &#x41;&#66; &x;</a>", events: `<a>"1 < 2 & AB &x;"</a>` },
    { name: "CDATA", xml: "<a><![CDATA[<b>&amp;]]></a>", events: `<a>"<b>&amp;"</a>` },
    { name: "comments and instructions", xml: `<?xml version="1.0"?><!-- <b> --><a/>`, events: "<a></a>" },
    { name: "a document type", xml: `<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>`, events: `<a>"&x;"</a>` },
    { name: "an attribute like another", xml: `<a xid="1" id="2"/>`, events: "<a id=2></a>" },
    { name: "an end that is missing", xml: "<a><b>x", events: `<a><b>"x"` },
  ];
  for (const { name, xml, events } of cases) {
    test(`reads ${name}, however it is cut into chunks`, () => {
      for (let chars = 1; chars <= xml.length; chars++) assert.equal(trace(xml, chars), events, `chunks of ${chars}`);
    });
  }

  test("reads any text in the same way, whatever the chunks", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(..."<>/&;\"'= a!-[]?x#1") }),
        fc.integer({ min: 1, max: 9 }),
        (xml, chars) => {
          assert.equal(trace(xml, chars), trace(xml));
        },
      ),
    );
  });

  test("passes over elements with all that is in them, however the chunks end", () => {
    const xml = `<a><p:b x="1">1<c/></p:b >2<p:b/>3<bb>4</bb><p:b>5</a>`;
    for (let chars = 1; chars <= xml.length; chars++) {
      const seen: string[] = [];
      const scanner = scanXml({
        skips: new Set(["b"]),
        open: (name) => seen.push(`<${name}>`),
        close: (name) => seen.push(`</${name}>`),
        text: (text) => seen.push(text),
      });
      for (let at = 0; at < xml.length; at += chars) scanner.write(xml.slice(at, at + chars));
      scanner.end();
      assert.equal(seen.join(""), "<a>23<bb>4</bb>", `chunks of ${chars}`);
    }
  });

  test("lets a reader take whole elements from the text", () => {
    const seen: string[] = [];
    const scanner = scanXml({
      readElement: (text, at) => (text.startsWith("<n>1</n>", at) ? at + 8 : -1),
      open: (name) => seen.push(`<${name}>`),
      close: (name) => seen.push(`</${name}>`),
      text: (text) => seen.push(text),
    });
    scanner.write("<a><n>1</n><n>1</n> <n>1</n><n>2</n>");
    scanner.write("<n>1</n></a>");
    scanner.end();
    assert.equal(seen.join(""), "<a> <n>2</n></a>");
  });

  test("gives names that do not depend on what was scanned before", () => {
    const names = Array.from({ length: 5_000 }, (_, index) => `n${index}:e${index * 31}`);
    for (const written of [...names, ...names]) {
      const local = written.slice(written.indexOf(":") + 1);
      assert.equal(trace(`<${written}></${written}>`), `<${local}></${local}>`);
    }
  });

  test("expands no entity of the document, however many there are", () => {
    const bomb = `<!DOCTYPE a [<!ENTITY a "${"x".repeat(99)}"><!ENTITY b "&a;&a;&a;">]><a>&b;</a>`;
    assert.equal(trace(bomb), `<a>"&b;"</a>`);
  });

  test("gives up on endless nesting and on a tag that does not end", () => {
    assert.throws(() => trace("<a>".repeat(5_000)), XmlLimitError);
    assert.throws(() => trace(`<a ${"x".repeat(5_000_000)}`, 65_536), XmlLimitError);
  });

  test("decodes character references to valid Unicode only", () => {
    assert.equal(decodeEntities("&#xD800;&#1114112;&#128512;"), "\ufffd\ufffd😀");
  });
});
