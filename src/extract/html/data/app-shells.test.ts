import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { extractHtml } from "../page.ts";

const script = '<script src="/main.js"></script>';
const sentence = "The keeper of the lighthouse wrote down the weather of every day, and the ships that passed it.";
const read = (html: string) => extractHtml(html, { url: "https://example.com/", mode: "markdown" });

const notice = "<p>Gone fishing. The office is closed until Monday. Write to us, and we will answer next week.</p>";
const footer =
  "<footer>Example Corporation, 1 Harbour Road, all rights reserved since 1999 and for some time to come</footer>";

const shells: readonly { name: string; html: string; needsJs: boolean }[] = [
  {
    name: "an empty root",
    html: `<div id=root></div><noscript>Please enable JavaScript.</noscript>${script}`,
    needsJs: true,
  },
  {
    name: "a request to enable scripts, in other words",
    html: `<noscript>Please enable scripts.</noscript>${footer}${script}`,
    needsJs: true,
  },
  { name: "an empty custom element", html: `<app-root></app-root>${footer}${script}`, needsJs: true },
  {
    name: "a custom element that says it is loading",
    html: `<app-root>Loading…</app-root>${footer}${script}`,
    needsJs: true,
  },
  {
    name: "an empty element with the id of an app root",
    html: `<div id="react-root"><style>a{}</style></div>${notice}${script}`,
    needsJs: true,
  },
  {
    name: "a request to enable scripts and nothing else",
    html: `<h1>Just a moment</h1><p>Enable JavaScript and cookies to continue, please, dear reader of this page.</p>${script}`,
    needsJs: true,
  },
  { name: "a short page that counts its visitors", html: `${notice}${script}`, needsJs: false },
  {
    name: "a short page with a button of a social network",
    html: `<div id="fb-root"></div>${notice}${script}`,
    needsJs: false,
  },
  {
    name: "a custom element with text",
    html: `<my-note>${notice}</my-note>${script}`,
    needsJs: false,
  },
  { name: "an empty root without scripts", html: `<div id=root></div>${notice}`, needsJs: false },
];

describe("whether a page needs scripts:", () => {
  for (const { name, html, needsJs } of shells)
    test(name, () => assert.equal(read(`<body>${html}</body>`).needsJs, needsJs));

  test("the request to enable scripts is not written as text", () =>
    assert.equal(read(`<div id=root></div><noscript>Please enable JavaScript.</noscript>${script}`).text, ""));
});

const push = (text: string): string => `self.__next_f.push([1,${JSON.stringify(text)}])`;
const scripts = (...texts: readonly string[]): string => texts.map((text) => `<script>${push(text)}</script>`).join("");
const element = (tag: string, properties: object): unknown => ["$", tag, null, properties];
const row = (id: string, value: unknown): string => `${id}:${JSON.stringify(value)}\n`;

describe("React server components are read as the page they would show:", () => {
  const paragraphs = [1, 2, 3].map((day) =>
    element("p", { children: [`Day ${day}: `, element("em", { children: "fog" }), `. ${sentence}`] }),
  );
  const content =
    row("0", element("$L2", { children: ["$L5", "$L9"] })) +
    '2:I["1234",["chunk.js"],"Layout"]\n' +
    row("5", element("main", { className: "content", children: [element("h1", { children: "Log" }), paragraphs] })) +
    row("9", element("a", { href: "/next", children: "$$5 & <more>" }));
  const markdown = `# Log\n\n${[1, 2, 3].map((day) => `Day ${day}: *fog*. ${sentence}`).join("\n\n")}`;

  test("one row in one push", () => {
    const { text, method } = read(`<div></div>${scripts(content)}`);
    assert.deepEqual([text, method], [markdown, "payload"]);
  });

  test("rows split over pushes, several in a script", () => {
    const third = Math.floor(content.length / 3);
    const [a = "", b = "", c = ""] = [
      content.slice(0, third),
      content.slice(third, 2 * third),
      content.slice(2 * third),
    ];
    assert.equal(read(`<script>${push(a)};${push(b)}</script>${scripts(c)}`).text, markdown);
  });

  test("text rows that begin with their length in bytes", () => {
    const html = `<h2>Über</h2><p>${sentence} ${sentence}</p>`;
    const rows =
      row("0", element("div", { dangerouslySetInnerHTML: { __html: "$1a" } })) +
      `1a:T${Buffer.byteLength(html).toString(16)},${html}` +
      row("3", element("p", { children: `After. ${sentence}` }));
    assert.equal(read(`<div></div>${scripts(rows)}`).text, `## Über\n\n${sentence} ${sentence}\n\nAfter. ${sentence}`);
  });

  test("the strings passed to a component, with its title", () => {
    const rows = row(
      "0",
      element("$L7", { slug: "fog-at-sea", title: "Fog", body: `${sentence} ${sentence} ${sentence}` }),
    );
    assert.equal(read(`<div></div>${scripts(rows)}`).text, `Fog\n\n${sentence} ${sentence} ${sentence}`);
  });

  test("a row that does not parse is not written", () => {
    assert.equal(
      read(`<div></div>${scripts(content, `7:["$","p",null,{"children":"broken ${sentence}\n`)}`).text,
      markdown,
    );
  });

  test("rows that refer to each other in a cycle", () => {
    const rows =
      row("0", ["$1", "$0"]) +
      row("1", ["$0", element("p", { children: ["$1", sentence.repeat(3)] })]) +
      row("2", "$2");
    assert.equal(read(`<div></div>${scripts(rows)}`).text, sentence.repeat(3));
  });
});

describe("JSON that a page passes to its scripts", () => {
  const next = (data: unknown): string =>
    `<body><div id=__next></div><script id=__NEXT_DATA__ type="application/json">${JSON.stringify(data)}</script></body>`;
  const japanese = "灯台守は毎日の天気と、そこを通り過ぎる船の名前を書き留めていました。";

  test("keeps short lines among sentences", () => {
    const post = {
      id: "a1",
      title: "Fog",
      sections: [
        { heading: "Dawn", text: `${sentence} ${sentence}` },
        { heading: "Night", text: "It rained." },
      ],
    };
    const menu = [
      { title: "Home", url: "/" },
      { title: "About us", url: "/about" },
    ];
    assert.equal(
      read(next({ menu, post: { ...post, more: `${sentence} So it was.` } })).text,
      `Fog\n\nDawn\n\n${sentence} ${sentence}\n\nNight\n\nIt rained.\n\n${sentence} So it was.`,
    );
  });

  test("joins the parts of rich text", () => {
    const nodes = [
      { value: `${sentence} They were ` },
      { value: "many", marks: ["bold"] },
      { value: `, and ${sentence} ${sentence}` },
    ];
    assert.equal(read(next({ content: nodes })).text, `${sentence} They were many, and ${sentence} ${sentence}`);
  });

  test("is read in scripts that do not separate words", () => {
    const text = [1, 2, 3, 4, 5, 6, 7, 8].map((day) => `${day}日目。${japanese}`);
    assert.equal(read(next({ paragraphs: text })).text, text.join("\n\n"));
  });

  test("keeps strings of HTML and plain strings apart", () => {
    assert.equal(
      read(next([{ title: "Fog", text: `<p>${sentence}</p><p>${sentence.repeat(2)}</p>` }, { text: `So ${sentence}` }]))
        .text,
      `Fog\n\n${sentence}\n\n${sentence.repeat(2)}\n\nSo ${sentence}`,
    );
  });

  test("lowers the kept share when much of it was left out", () => {
    const labels = Array.from({ length: 40 }, (_, index) => ({ label: `Show the harbour of number ${index}` }));
    const { keptShare, method } = read(next({ labels, body: `${sentence} ${sentence} ${sentence}` }));
    assert.equal(method, "payload");
    assert.ok(keptShare > 0.1 && keptShare < 0.5, String(keptShare));
  });
});
