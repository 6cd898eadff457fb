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
