import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertLinearTime } from "../../../../test/cpu-time.ts";
import { extractHtml } from "../page.ts";
import { parseHtml } from "../tree/parse.ts";
import { featureNames } from "./block-features.ts";
import storedTable from "./block-table.json" with { type: "json" };
import { judgeBlock, openTable } from "./block-table.ts";
import { listBlocks } from "./content-blocks.ts";

const weather = "the keeper of the lighthouse wrote down the weather of that day, and the ships that passed it by.";
const prose = (count: number): string =>
  Array.from({ length: count }, (_, index) => `<p>On day ${index + 1}, ${weather}</p>`).join("\n");
const notice =
  "<div><p>Copyright 2025 Coast Media. All rights reserved.</p>" +
  "<p>Privacy policy, cookies and terms of use of our newsletter</p></div>";

const page = (body: string, type = "article"): string =>
  `<html><head><meta property="og:type" content="${type}"></head><body><div>${body}</div></body></html>`;
const markdownOf = (html: string): string => extractHtml(html, { mode: "markdown" }).text;

describe("in an article", () => {
  test("notices without any class name are left out", () => {
    const text = markdownOf(page(`<h1>Log</h1>${prose(12)}${notice}`));
    assert.match(text, /^# Log\n/);
    assert.match(text, /On day 12, the keeper[^\n]+$/);
  });

  test("the title is kept, whatever it says", () => {
    for (const title of ["Title", "Share", "Subscribe to our newsletter"])
      assert.ok(markdownOf(page(`<h1>${title}</h1><p>The lead.</p>${prose(12)}`)).startsWith(`# ${title}\n`), title);
  });

  test("code and tables are kept, whatever they say", () => {
    const code = "<pre>subscribe --newsletter --privacy-policy</pre>";
    const cells = "<tr><th>Copyright</th><th>Privacy</th></tr><tr><td>All rights reserved</td><td>Policy</td></tr>";
    const text = markdownOf(page(`<h1>Log</h1>${prose(8)}${code}<table>${cells}</table>`));
    assert.match(text, /subscribe --newsletter/);
    assert.match(text, /\| All rights reserved \| Policy \|/);
  });

  test("a list with code or a table is kept", () => {
    const link = '<a href="/x">Privacy policy</a>';
    const cells = "<tr><th>Key</th><th>Value</th></tr><tr><td>theme</td><td>dark</td></tr>";
    const lists = `<ul><li>${link}<pre>make setup</pre></li></ul><p>Day 0.</p><ul><li>${link}<table>${cells}</table></li></ul>`;
    const text = markdownOf(page(`<h1>Log</h1>${prose(8)}${lists}${prose(1)}`));
    assert.match(text, /make setup/);
    assert.match(text, /\| theme \| dark \|/);
  });

  test("the items of a list are left out together", () => {
    const items = ["Privacy policy", "Cookies", "Sitemap", "The weather of the north"];
    const list = `<ul>${items.map((item) => `<li><a href="/x">${item}</a></li>`).join("")}</ul>`;
    const text = markdownOf(page(`<h1>Log</h1>${prose(8)}${list}${prose(1)}`));
    assert.deepEqual(
      items.filter((item) => text.includes(item)),
      [],
    );
  });

  test("nothing is left out if it would be much of the text", () => {
    assert.match(markdownOf(page(`<h1>Log</h1>${prose(1)}${notice}`)), /Copyright[^\n]+\n\nPrivacy policy/);
  });

  const link = (label: string, href = "/x") => `<p><a href="${href}">${label}</a></p>`;

  test("links to files are kept, and the heading above them", () => {
    for (const file of ["report.pdf", "sources.tar.gz?v=2", "https://a.example/Setup.EXE", "table.xlsx#sheet"]) {
      const text = markdownOf(
        page(`<h1>Log</h1>${prose(8)}<h2>Newsletter privacy</h2>${link("Privacy policy", file)}`),
      );
      assert.match(text, /\n## Newsletter privacy\n\n\[Privacy policy\]/, file);
    }
    assert.doesNotMatch(markdownOf(page(`<h1>Log</h1>${prose(8)}${link("Privacy policy", "/pdf")}`)), /Privacy/);
  });

  test("a heading keeps what is under it if that is all", () => {
    const section = (rest: string) =>
      `<h2>The harbour</h2>${link("Privacy policy")}${rest}<h2>The coast</h2>${prose(1)}`;
    assert.match(markdownOf(page(`<h1>Log</h1>${prose(8)}${section("")}`)), /\n## The harbour\n\n\[Privacy policy\]/);
    assert.doesNotMatch(markdownOf(page(`<h1>Log</h1>${prose(8)}${section(prose(1))}`)), /Privacy/);
  });

  test("the heading of what is kept is kept", () => {
    for (const heading of ["Guides", "Copyright"]) {
      const section = `<div><h2><a href="/x">${heading}</a></h2><p>Then ${weather}</p></div>`;
      const text = markdownOf(page(`<h1>Log</h1>${prose(8)}${section}${prose(1)}`));
      assert.match(text, /\n## [^\n]+\n\nThen the keeper/, heading);
    }
  });

  test("what a line announces with a colon is kept", () => {
    const list = '<ul><li><a href="/x">Privacy policy</a></li><li><a href="/y">Cookies</a></li></ul>';
    const after = (line: string) =>
      markdownOf(page(`<h1>Log</h1>${prose(8)}<p>${weather} ${line}</p>${list}${prose(1)}`));
    assert.match(after("The keeper had to read these:"), /read these:\n\n- \[Privacy policy\]/);
    assert.doesNotMatch(after("The keeper had to read these."), /Privacy/);
  });

  test("described pictures and embedded documents stay when their caption is left out", () => {
    const shown = [
      '<img src="/bus.jpg" alt="A flooded street with a stranded bus">',
      '<iframe src="https://video.example/bus" title="A flooded street with a stranded bus"></iframe>',
    ];
    for (const content of shown) {
      const figure = `<figure>${content}<figcaption>Photo: Getty Images</figcaption></figure>`;
      const text = markdownOf(page(`<h1>Log</h1>${prose(8)}${figure}${prose(1)}`));
      assert.match(text, /A flooded street with a stranded bus/, content);
      assert.doesNotMatch(text, /Getty/, content);
    }
    const bare = '<figure><img src="/bus.jpg" alt=""><figcaption>Photo: Getty Images</figcaption></figure>';
    assert.doesNotMatch(markdownOf(page(`<h1>Log</h1>${prose(8)}${bare}${prose(1)}`)), /bus\.jpg|Getty/);
  });

  test("the kept share counts what is left out", () => {
    const html = page(`<h1>Log</h1>${prose(4)}${notice}`);
    const { text, keptShare } = extractHtml(html, { mode: "markdown" });
    const noticeChars = notice.replace(/<[^>]+>/g, "").length;
    assert.doesNotMatch(text, /Copyright/);
    assert.ok(Math.abs(keptShare - text.length / (text.length + noticeChars)) < 0.02, `${keptShare}`);
  });

  test("no empty quotation remains", () => {
    assert.doesNotMatch(markdownOf(page(`<h1>Log</h1>${prose(12)}<blockquote>${notice}</blockquote>`)), /^>/m);
  });

  const dropNested = (count: number, depth: number) => {
    const lines = "<p>Privacy policy and terms of use</p>".repeat(count);
    const box = `${"<div>".repeat(depth)}${lines}${"</div>".repeat(depth)}`;
    assert.doesNotMatch(markdownOf(page(`<h1>Log</h1>${prose(count)}${box}${prose(1)}`)), /Privacy/);
  };

  test("the time grows with the number of blocks", () => assertLinearTime(80, (count) => dropNested(count, 100)));

  test("the time grows with the depth of the blocks", () => assertLinearTime(100, (depth) => dropNested(200, depth)));
});

test("on pages of other kinds all blocks are kept", () => {
  assert.match(markdownOf(page(`<h1>Log</h1>${prose(12)}${notice}`, "website")), /Copyright/);
});

describe("the blocks of a page", () => {
  const listTexts = (html: string) => {
    const tree = parseHtml(html);
    return listBlocks(tree, tree.root, new Uint8Array(tree.elements.length)).map(({ text }) => text);
  };

  test("are its paragraphs, and the lines between other blocks", () => {
    assert.deepEqual(listTexts("<div>one <b>two</b><p>three<br>four</p>five</div>"), ["one two", "three four", "five"]);
  });

  test("are whole tables and code blocks", () => {
    const table = "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>";
    assert.deepEqual(listTexts(`${table}<pre>x\ny</pre>`), ["ab12", "x y"]);
  });

  test("have the share of their text that is in links", () => {
    const tree = parseHtml('<p>see <a href="/x">this</a></p><a href="/y"><div>card</div></a>');
    const blocks = listBlocks(tree, tree.root, new Uint8Array(tree.elements.length));
    assert.deepEqual(
      blocks.map(({ linkChars, anchors }) => [linkChars, anchors]),
      [
        [4, 1],
        [4, 1],
      ],
    );
  });
});

describe("the learnt table", () => {
  const words = { text: {}, name: {}, heading: {} };
  const featuresOf = (values: Readonly<Record<number, number>>) =>
    Float64Array.from(featureNames, (_, index) => values[index] ?? 0);

  test("of this package can be read", () => {
    const { odds, trees } = openTable(storedTable);
    assert.ok((odds.text.get("newsletter") ?? 0) < -2);
    assert.equal(trees.length, 71);
  });

  test("follows each tree to its leaf", () => {
    const table = openTable({ features: featureNames, words, trees: ["0.5", "8<2 1<0 -1 1 3"] });
    const scoreOf = (values: Readonly<Record<number, number>>) => {
      const probability = judgeBlock(featuresOf(values), table);
      return Math.round(Math.log(probability / (1 - probability)) * 10) / 10;
    };
    assert.deepEqual([scoreOf({ 8: 1, 1: -1 }), scoreOf({ 8: 1, 1: 0 }), scoreOf({ 8: 2 })], [-0.5, 1.5, 3.5]);
  });

  test("with a tree that does not end is refused", () => {
    for (const tree of ["8<2", "8<2 1", "8<2 1<0 -1", "99<2 1 2", "8<y 1 2", "z"])
      assert.throws(() => openTable({ features: featureNames, words, trees: [tree] }), RangeError, tree);
  });

  test("of another version is refused", () => {
    assert.throws(() => openTable({ features: ["chars"], words, trees: [] }), RangeError);
  });
});
