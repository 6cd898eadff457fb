import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseHtml } from "./parse.ts";
import { type Node, treeLimits } from "./tree.ts";

/** The tree of a source in short: `div(p(a) b)`. */
function shapeOf(html: string): string {
  const write = (node: Node): string =>
    typeof node === "string" ? node.trim() : `${node.tag}(${node.children.map(write).filter(Boolean).join(" ")})`;
  return parseHtml(html).root.children.map(write).filter(Boolean).join(" ");
}

const shapes = [
  { name: "a paragraph ends where a block begins", html: "<p>a<p>b<div>c</div>", shape: "p(a) p(b) div(c)" },
  {
    name: "items end where the next begins",
    html: "<ul><li>a<ul><li>b</ul><li>c</ul>",
    shape: "ul(li(a ul(li(b))) li(c))",
  },
  {
    name: "rows and cells need no end tags",
    html: "<table><tr><td>a<td>b<tr><td>c</table>d",
    shape: "table(tr(td(a) td(b)) tr(td(c))) d",
  },
  {
    name: "a frame that is not closed ends with its noscript",
    html: "<noscript><iframe src=a />\n</noscript><p>b</p><noscript><iframe></noscript>c<iframe>d</iframe>",
    shape: "noscript(iframe()) p(b) noscript(iframe()) c iframe()",
  },
  {
    name: "a frame that is not closed ends with its noscript, wherever it is in it",
    html: "<noscript><div><iframe src=a /></div></noscript><main>b</main><NOSCRIPT><iframe/></NOSCRIPT>c",
    shape: "noscript(div(iframe())) main(b) noscript(iframe()) c",
  },
  { name: "an end tag without a start tag is ignored", html: "a</b></div>b", shape: "a b" },
  { name: "an inline end tag does not close blocks", html: "<b><div>a</b>b</div>c", shape: "b(div(a b)) c" },
  { name: "links do not nest", html: "<a>x<a>y", shape: "a(x) a(y)" },
  {
    name: "a tag that is not allowed in the head ends it",
    html: "<head><title>t</title><p>x",
    shape: "head(title(t)) p(x)",
  },
  { name: "text in drawings is ignored", html: "a<svg><text>x</text><svg></svg></svg>b<svg><p>c", shape: "a b p(c)" },
  {
    name: "text that a drawing shows as part of the page is not",
    html: "<p>a<svg><g><foreignObject><div>b<svg><text>x</text></svg></div></foreignObject></g><text>x</text></svg>c",
    shape: "p(a foreignobject(div(b)) c)",
  },
  {
    name: "the end of a drawing ends what it shows as part of the page",
    html: "<svg><foreignObject><p>a</svg>b<svg><foreignObject/><text>x</text></svg>c",
    shape: "foreignobject(p(a)) b c",
  },
  {
    name: "text in scripts and styles is ignored",
    html: "<script>a<b></script><style>p{}</style>c",
    shape: "script() style() c",
  },
  { name: "a bogus comment ends at the next bracket", html: "a<![if IE]>b<![endif]>c", shape: "abc" },
  { name: "CDATA is read in XML only", html: "<?xml version='1.0'?><p><![CDATA[a<b]]></p>", shape: "p(a<b)" },
  { name: "a value is not a comment", html: "<a title='<!-- x'>a</a> b", shape: "a(a) b" },
  { name: "an unfinished tag is ignored", html: "a<p class=", shape: "a" },
];

const unclosed = [
  { name: "a title", html: "<title>a<p>b</p><p>c</p>", shape: "title(a) p(b) p(c)" },
  { name: "a style", html: "<p>a</p><style>b{}<p>c</p>", shape: "p(a) style() p(c)" },
  { name: "a field", html: "<p>a</p><textarea>b<p>c</p>", shape: "p(a) textarea(b) p(c)" },
  { name: "a title with no markup after it", html: "<p>a</p><title>b < c", shape: "p(a) title(b < c)" },
  { name: "a script, which may contain any text", html: "<p>a</p><script>b('</p>')", shape: "p(a) script()" },
];

describe("an element that is never closed does not swallow the rest of the page:", () => {
  for (const { name, html, shape } of unclosed) test(name, () => assert.equal(shapeOf(html), shape));

  test("nested ones are read in linear time", () => {
    assert.match(shapeOf(`${"<title>".repeat(50_000)}<p>a</p>`), /^title/);
  });
});

describe("parsing", () => {
  for (const { name, html, shape } of shapes) test(name, () => assert.equal(shapeOf(html), shape));

  test("descendants follow their element up to its end", () => {
    const { elements } = parseHtml("<div><p>a<b>b</b></p><p>c</p></div><i>d</i>");
    assert.deepEqual(
      elements.map(({ tag, index, end }) => [tag, index, end]),
      [
        ["html", 0, 6],
        ["div", 1, 5],
        ["p", 2, 4],
        ["b", 3, 4],
        ["p", 4, 5],
        ["i", 5, 6],
      ],
    );
  });

  test("long attributes are cut, and data URLs are dropped", () => {
    const { elements } = parseHtml(`<a href="data:text/plain,x" class="${"a".repeat(9_000)}" onclick=x>`);
    assert.deepEqual(Object.keys(elements[1]?.attributes ?? {}), ["class"]);
    assert.equal(elements[1]?.attributes.class?.length, treeLimits.maxAttributeChars);
  });

  test("elements below the depth limit keep their text and end where they should", () => {
    const { elements, isComplete } = parseHtml(
      `<main>${"<div>".repeat(2_000)}deep${"</div>".repeat(2_000)}</main><p>after`,
    );
    assert.ok(isComplete && elements.length <= treeLimits.maxDepth + 4);
    assert.equal(elements.at(-1)?.parent?.tag, "html");
  });

  test("at the limit of elements parsing stops and the page is marked incomplete", () => {
    const { elements, isComplete } = parseHtml("<br>".repeat(treeLimits.maxElements + 10));
    assert.deepEqual([isComplete, elements.length <= treeLimits.maxElements], [false, true]);
  });
});
