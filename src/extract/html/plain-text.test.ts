import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { assertLinearTime } from "../../../test/cpu-time.ts";
import { createStripper, toPlainText } from "./plain-text.ts";

const cases = [
  { name: "blocks are lines, inline elements are not", html: "<h1>A</h1><p>b <b>c</b>d<br>e</p>", text: "A\nb cd\ne" },
  {
    name: "scripts, styles and comments are dropped",
    html: "a<script>b</script><style>c</style><!-- > d -->e",
    text: "a\ne",
  },
  { name: "entities are decoded", html: "<p>&lt;a&gt; &eacute; &#65;", text: "<a> é A" },
  { name: "a comment that never ends hides nothing", html: "<p>a<!-- b<p>c", text: "a b\nc" },
  { name: "CDATA that never ends hides nothing", html: "<p>a<![CDATA[ x> b", text: "a b" },
  { name: "an attribute may contain a tag", html: '<a title="<b>">x</a>', text: "x" },
  { name: "an empty page has no text", html: "", text: "" },
];

for (const { name, html, text } of cases) test(name, () => assert.equal(toPlainText(html), text));

const markup = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "<p>",
        "<b",
        "<!--",
        "-->",
        "<!-",
        "<![CDATA[",
        "&am",
        "p;",
        "<script>",
        "</script>",
        " x ",
        '"',
        "<",
        ">",
      ),
      fc.string({ maxLength: 4 }),
    ),
    { maxLength: 40 },
  )
  .map((pieces) => pieces.join(""));

test("the text does not depend on where the chunks are cut", () => {
  fc.assert(
    fc.property(markup, fc.integer({ min: 1, max: 7 }), (html, size) => {
      const stripper = createStripper();
      let text = "";
      for (let offset = 0; offset < html.length; offset += size)
        text += stripper.push(html.slice(offset, offset + size));
      assert.equal(text + stripper.flush(), toPlainText(html));
    }),
    { numRuns: 500 },
  );
});

test("comments that open without end take linear time", () =>
  assertLinearTime(100_000, (count) => toPlainText("<!--".repeat(count))));
