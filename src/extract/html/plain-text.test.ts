import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createStripper, linearText } from "./plain-text.ts";

const cases = [
  { name: "blocks are lines, inline elements are not", html: "<h1>A</h1><p>b <b>c</b>d<br>e</p>", text: "A\nb cd\ne" },
  {
    name: "scripts, styles and comments are no text",
    html: "a<script>b</script><style>c</style><!-- > d -->e",
    text: "a\ne",
  },
  { name: "entities are characters", html: "<p>&lt;a&gt; &eacute; &#65;", text: "<a> é A" },
  { name: "a comment that never ends hides nothing", html: "<p>a<!-- b<p>c", text: "a b\nc" },
  { name: "CDATA that never ends hides nothing", html: "<p>a<![CDATA[ x> b", text: "a b" },
  { name: "an attribute may hold a tag", html: '<a title="<b>">x</a>', text: "x" },
  { name: "nothing is nothing", html: "", text: "" },
];

for (const { name, html, text } of cases) test(name, () => assert.equal(linearText(html), text));

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

test("the text does not depend on where the pieces are cut", () => {
  fc.assert(
    fc.property(markup, fc.integer({ min: 1, max: 7 }), (html, size) => {
      const stripper = createStripper();
      let text = "";
      for (let at = 0; at < html.length; at += size) text += stripper.push(html.slice(at, at + size));
      assert.equal(text + stripper.flush(), linearText(html));
    }),
    { numRuns: 500 },
  );
});

test("endless openings of comments take linear time", () => {
  const start = performance.now();
  linearText("<!--".repeat(500_000));
  assert.ok(performance.now() - start < 3_000);
});
