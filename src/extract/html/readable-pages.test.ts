/** What a reader of a page must find: custom elements, diffs, icons, replies and links, each on a page of a few lines. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { LinkStyle } from "../handler.ts";
import { extractHtml } from "./page.ts";
import { htmlWeights } from "./weights.ts";

const read = (html: string, links?: LinkStyle) =>
  extractHtml(html, { url: "https://example.com/docs/page", mode: "markdown", links });
const markdownOf = (html: string) => read(html).text;

describe("custom and unknown elements", () => {
  test("are inside their line", () => {
    const html =
      "<p>Updated <relative-time>Jan 2</relative-time> by <user-name>Ada</user-name>, who knows.<o:p></o:p></p>";
    assert.equal(markdownOf(html), "Updated Jan 2 by Ada, who knows.");
  });

  test("are separate words", () => {
    assert.equal(markdownOf("<p><user-name>Ada</user-name><user-role>Keeper</user-role></p>"), "Ada Keeper");
  });

  test("are blocks if they hold one", () => {
    assert.equal(markdownOf("<my-card><p>one</p></my-card><my-card><p>two</p></my-card>"), "one\n\ntwo");
  });

  test("do not break the lines of code", () => {
    assert.equal(
      markdownOf("<pre><a-k>let</a-k> x = <a-n>1</a-n>;\n<a-k>let</a-k> y;</pre>"),
      "```\nlet x = 1;\nlet y;\n```",
    );
  });

  test("a line of many of them stays one line", () => {
    const { text } = read(`<p>${"<x-y>a</x-y>".repeat(20_000)}</p>`);
    assert.equal(text.length, 39_999);
  });
});

describe("code in a line", () => {
  test("is a block if it is broken into lines", () => {
    assert.equal(markdownOf("<p><code>npm i<br>npm test</code></p>"), "```\nnpm i\nnpm test\n```");
  });

  test("stays in its line if only the source is broken", () => {
    assert.equal(markdownOf("<p><code>npm\ntest</code></p>"), "`npm test`");
  });
});

describe("a diff in a table", () => {
  const cells = (kind: string, code: string) =>
    `<tr><td class="diff-line-num old_line">1</td><td class="line_content ${kind}">${code}</td></tr>`;

  test("gets the signs that its style sheet shows", () => {
    const rows = cells("", "	a()") + cells("old", "	b()") + cells("new", "	c()");
    assert.equal(markdownOf(`<table>${rows}</table>`), "```diff\n 	a()\n-	b()\n+	c()\n```");
  });

  test("keeps the signs that it has", () => {
    assert.equal(
      markdownOf(`<table>${cells("old", "-	b()")}${cells("new", "+	c()")}</table>`),
      "```diff\n-	b()\n+	c()\n```",
    );
  });

  test("takes the signs in its attributes", () => {
    const row = (sign: string, code: string) =>
      `<tr><td class="blob-num" data-line-number="3"></td><td class="blob-code"><span data-code-marker="${sign}">${code}</span></td></tr>`;
    assert.equal(
      markdownOf(`<table>${row("-", "b()")}${row("+", "c()")}${row(" ", "d()")}</table>`),
      "```diff\n-b()\n+c()\n d()\n```",
    );
  });
});

describe("icons", () => {
  const table = (cell: string) =>
    `<table><tr><th>Plan</th><th>Alerts</th></tr><tr><td><div>Sloop</div></td><td>${cell}</td></tr></table>`;

  for (const cell of [
    '<svg aria-label="Included" role="img"><path d="M0"/></svg>',
    "<svg><title>Included</title><path d='M0'/></svg>",
    '<svg aria-hidden="true"></svg><span class="sr-only">Included</span>',
    '<i class="icon" aria-label="Included"></i>',
    '<img src="/check.svg" alt="Included">',
  ])
    test(`say what a cell means: ${cell}`, () =>
      assert.equal(markdownOf(table(cell)), "| Plan | Alerts |\n| --- | --- |\n| Sloop | Included |"));

  test("outside of tables and lists are left out", () => {
    assert.equal(markdownOf('<p><svg aria-label="Bird"><path/></svg>Follow the ships.</p>'), "Follow the ships.");
  });

  test("no image is written without its address", () => {
    assert.equal(markdownOf('<p>a</p><p><img alt="The lamp above the harbour wall"></p>'), "a");
    assert.equal(
      markdownOf('<figure><img src="lamp.jpg" alt="The lamp above the harbour wall"></figure>'),
      "![The lamp above the harbour wall](lamp.jpg)",
    );
  });

  describe("an image in a link", () => {
    const label = "The lamp above the harbour wall";
    const figure = (href: string, more = ""): string =>
      `<figure><a href="${href}"><img src="/thumb.jpg" alt="${label}"></a></figure>${more}`;

    test("is its description, as the text of the link", () => {
      assert.equal(markdownOf(figure("/lamps")), `[${label}](/lamps)`);
    });

    test("that shows it in full size is an image only", () => {
      assert.equal(markdownOf(figure("/lamp.jpg?w=2000")), `![${label}](/thumb.jpg)`);
    });

    test("says nothing beside text that leads to the same page", () => {
      assert.equal(markdownOf(figure("/lamps", '<p><a href="/lamps">Lamps</a></p>')), "[Lamps](/lamps)");
      assert.equal(
        markdownOf(`<p>See <a href="/a"><img src="/i.gif" alt="${label}"> Lamps</a></p>`),
        "See [Lamps](/a)",
      );
    });

    test("keeps its description above a caption, and far from the text", () => {
      const caption = 'It was lit each evening from 1850 to 1912. <a href="/lamps">Lamps</a>';
      const captioned = figure("/lamps").replace("</figure>", `<figcaption>${caption}</figcaption></figure>`);
      assert.ok(markdownOf(captioned).startsWith(`[${label}](/lamps)\n\nIt was lit`));
      const card = captioned.replace(/It was[^<]*/, "");
      assert.equal(markdownOf(card), "[Lamps](/lamps)");
      const far = figure("/lamps", `${"<p>The lamp is lit at dusk.</p>".repeat(50)}<p><a href="/lamps">Lamps</a></p>`);
      assert.ok(markdownOf(far).startsWith(`[${label}](/lamps)`));
    });

    test("says nothing if its description is the name of a file", () => {
      assert.equal(markdownOf(`<p>a</p>${figure("/lamps").replace(label, "the-lamp-above_the-harbour")}`), "a");
    });
  });

  describe("an image that the page contains as data", () => {
    const read = (data: string): string =>
      markdownOf(`<p>a</p><figure><img src="data:image/${data}" alt="The lamp above the harbour wall"></figure>`);

    test("has its description, whatever its size", () => {
      for (const chars of [100, 100_000])
        assert.equal(read(`png;base64,${"A".repeat(chars)}`), "a\n\nThe lamp above the harbour wall");
    });

    test("is left out if it only keeps the place of another", () => {
      assert.equal(read("gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"), "a");
      assert.equal(read("svg+xml,%3Csvg%20viewBox='0%200%20700%201050'%3E%3C/svg%3E"), "a");
    });
  });

  test("an image whose address is too long has its description", () => {
    const image = (chars: number): string => `<p>Here: <img src="/${"x".repeat(chars)}" alt="Lamp of 1850"></p>`;
    assert.equal(markdownOf(image(199)), `Here: ![Lamp of 1850](/${"x".repeat(199)})`);
    assert.equal(markdownOf(image(200)), "Here: Lamp of 1850");
  });
});

describe("replies", () => {
  const thread = (comments: string) =>
    `<title>A dark lamp</title><body id="x" class="comments-page"><p class="title">A dark lamp</p><p>It went out.</p>${comments}`;

  test("are quotations inside of those they answer", () => {
    const comments =
      '<div class="comment"><p>one</p><div class="comment"><p>two</p></div></div><div class="comment">three</div>';
    assert.equal(markdownOf(thread(comments)), "A dark lamp\n\nIt went out.\n\none\n\n> two\n\nthree");
  });

  test("have the author that their element states", () => {
    const comments =
      '<x-comment author="ada" depth="0"><p>one</p><x-comment author="bo" depth="1"><p>two</p></x-comment></x-comment>';
    assert.equal(markdownOf(thread(comments)), "A dark lamp\n\nIt went out.\n\n**ada**\n\none\n\n> **bo**\n>\n> two");
  });

  test("the box around a comment is not a comment that it answers", () => {
    const comments = '<div class="comment outer"><div class="comment inner"><p>one</p></div></div>';
    assert.equal(markdownOf(thread(comments)), "A dark lamp\n\nIt went out.\n\none");
  });

  test("do not show what the forum's software says about the thread and its writers", () => {
    const lines = ["Join Date: Aug 2011", "Posts: 1,204", "Original Poster", "Click to expand...", "Show more replies"];
    const post = "A keeper trims the wick, or the lamp smokes and goes out. ".repeat(20).trim();
    const comment = `<div class="comment">${lines.map((line) => `<div>${line}</div>`).join("")}<p>${post}</p></div>`;
    assert.equal(
      markdownOf(thread(comment + comment.replaceAll("wick", "rope"))).replaceAll(/A keeper.*/g, "post"),
      "A dark lamp\n\nIt went out.\n\npost\n\npost",
    );
  });
});

describe("the style of links", () => {
  const html = '<p><a href="/a">one</a>, <a href="https://other.example/b">two</a> and <a href="/a">three</a></p>';

  test("inline: relative to the page, whose address is stated", () => {
    const { text, linkBase } = read(html);
    assert.equal(text, "[one](/a), [two](https://other.example/b) and three");
    assert.equal(linkBase, "https://example.com/docs/page");
  });

  test("inline: an address that was just written is repeated only further down", () => {
    const prose = "<p>The keeper of the lighthouse wrote down the weather of that day.</p>".repeat(100);
    const { text } = read(`<p><a href="/a">Lamps</a> <a href="/a">more</a></p>${prose}<p><a href="/a">Buy</a></p>`);
    assert.match(text, /^\[Lamps\]\(\/a\) more\n.*\n\[Buy\]\(\/a\)$/s);
  });

  test("inline: a link with the same text is repeated only much further down", () => {
    const prose = "<p>The keeper of the lighthouse wrote down the weather of that day.</p>".repeat(100);
    const link = '<p><a href="/a">Lamps</a></p>';
    const { text } = read(`${link}${prose}${link}<h2>Wicks</h2>${link}${prose}${prose}${link}`);
    const [before = "", wicks = ""] = text.split("\n\n## Wicks\n\n");
    assert.match(before, /^\[Lamps\]\(\/a\)\n.*\nLamps$/s);
    assert.match(wicks, /^\[Lamps\]\(\/a\)\n.*\n\[Lamps\]\(\/a\)$/s);
  });

  test("inline: each section has its addresses", () => {
    const section = (name: string): string => `<h2>${name}</h2><p><a href="/a">${name}</a> <a href="/a">more</a></p>`;
    const [first, second] = read(section("One") + section("Two")).text.split("\n\n## Two");
    assert.equal(first, "## One\n\n[One](/a) more");
    assert.equal(second, "\n\n[Two](/a) more");
  });

  test("inline: the link of a heading counts for its section", () => {
    const card = '<h3><a href="/a">Lamps</a></h3><p>Bright. <a href="/a">Buy</a></p>';
    assert.equal(read(card + card).text, "### [Lamps](/a)\n\nBright. Buy\n\n### [Lamps](/a)\n\nBright. Buy");
    const other = card.replace("Lamps", "Wicks");
    assert.equal(read(card + other).text, "### [Lamps](/a)\n\nBright. Buy\n\n### [Wicks](/a)\n\nBright. Buy");
  });

  test("a link before the heading of a card is left out if it is the same", () => {
    const card = (text: string): string => `<li><a href="/a">${text}</a><h3><a href="/a">Lamps</a></h3></li>`;
    assert.equal(read(`<ul>${card("Lamps")}<li>x</li></ul>`).text, "- ### [Lamps](/a)\n- x");
    assert.equal(read(`<ul>${card("Sold out")}</ul>`).text, "- [Sold out](/a)\n\n  ### [Lamps](/a)");
    assert.equal(read("<p>Lamps</p><h3>Lamps</h3><p>x</p>").text, "Lamps\n\n### Lamps\n\nx");
    const item = '<ul><li>x</li><li><a href="/a">Lamps</a></li></ul><h3><a href="/a">Lamps</a></h3><p>x</p>';
    assert.equal(read(item).text, "- x\n- [Lamps](/a)\n\n### [Lamps](/a)\n\nx");
  });

  test("inline: a long table and a long line repeat an address further down", () => {
    const log = "The keeper of the lighthouse wrote down the weather of that day.";
    const link = (number: number): string => `<a href="/a">Lamp${number}</a>`;
    const rows = Array.from({ length: 100 }, (_, row) => `<tr><td>${log}</td><td>${link(row)}</td></tr>`).join("");
    const lines = Array.from({ length: 100 }, (_, line) => `${log} ${link(line)}<br>`).join("");
    for (const body of [`<table><tr><th>Log</th><th>Where</th></tr>${rows}</table>`, `<p>${lines}</p>`]) {
      const { text } = read(body);
      const distances = [...text.matchAll(/\[Lamp\d+\]\(\/a\)/g)].map(
        ({ index }, number, all) => index - (all[number - 1]?.index ?? 0),
      );
      assert.ok(distances.length > 1, text.slice(0, 200));
      for (const distance of distances)
        assert.ok(distance < 1.3 * htmlWeights.links.minRepeatDistanceChars, String(distance));
    }
  });

  test("inline: an address in a duplicate that is left out counts as not written", () => {
    const wanted = "The keeper of the lighthouse wrote down the weather of that day, and his lamps are here:";
    const paragraph = (address: string): string => `<div><p>${wanted} <a href="${address}">lamps</a></p></div>`;
    const prose = Array.from(
      { length: 90 },
      (_, day) => `<p>Day ${day}: the keeper wrote down the weather of that day.</p>`,
    );
    const { text } = read(`${paragraph("/a")}${prose.join("")}${paragraph("/a")}<p>Buy <a href="/a">one</a></p>`);
    assert.equal(text.split(wanted).length, 2);
    assert.match(text, /\n\nBuy \[one\]\(\/a\)$/);
  });

  test("inline: a link to the comments of a page that was just named is its text", () => {
    const card = '<h3><a href="/lamp">Lamps</a></h3><p>Bright. <a href="/lamp#comments">4 comments</a></p>';
    assert.equal(read(card).text, "### [Lamps](/lamp)\n\nBright. 4 comments");
    const reversed = '<p><a href="/lamp#comments">4 comments</a> on <a href="/lamp">Lamps</a></p>';
    assert.equal(read(reversed).text, "[4 comments](/lamp#comments) on [Lamps](/lamp)");
    const reference = '<p><a href="/vec.html">Vec</a> has <a href="/vec.html#push">push</a></p>';
    assert.equal(read(reference).text, "[Vec](/vec.html) has [push](/vec.html#push)");
  });

  test("inline: a link whose text is its address in another form is its text", () => {
    const links = [
      ["mailto:ada%40lamp.example", "ada@lamp.example"],
      ["tel:+1-855-822-1220", "(855) 822-1220"],
      ["https://doi.org/10.1000/182", "doi:10.1000/182"],
    ] as const;
    for (const [href, text] of links) assert.equal(read(`<p><a href="${href}">${text}</a></p>`).text, text);
    assert.equal(read('<p><a href="tel:+18558221220">Call us</a></p>').text, "[Call us](tel:+18558221220)");
    for (const number of ["+18558221220", "8558221220"])
      assert.equal(read(`<p><a href="tel:${number}">822-1220</a></p>`).text, `[822-1220](tel:${number})`);
  });

  test("inline: in an article, a tag or author whose address says the same is text", () => {
    const article = (body: string): string =>
      `<html><head><meta property="og:type" content="article"></head><body><article><h1>Lamps</h1>${"<p>The keeper of the lighthouse wrote down the weather of that day, and lit the lamp.</p>".repeat(5)}<p>${body}</p></article></body></html>`;
    const body =
      'Ask <a href="/author/ada-lark/">Ada Lark</a> or <a href="/author/bob">Ada’s friend</a> about <a href="/tags/lamps">these posts</a>.';
    assert.match(
      read(article(body)).text,
      /Ask Ada Lark or \[Ada’s friend\]\(\/author\/bob\) about \[these posts\]\(\/tags\/lamps\)\.$/,
    );
    const list = `<html><body><main><h1>Authors</h1><p>${body}</p></main></body></html>`;
    assert.match(read(list).text, /\[Ada Lark\]\(\/author\/ada-lark\/\)/);
  });

  describe("in a thread", () => {
    const post = (number: number): string =>
      `<div class="comment" id="post-${number}"><h4><a href="/u/ada">Ada</a></h4><p><a href="/t/post-${number}">Jan 2</a>
      The keeper wrote post ${number}, see <a href="/t/post-99999">the other one</a>.</p></div>`;
    const page = `<body class="comments-page"><h1>A dark lamp</h1>${post(4711)}${post(4712)}`;

    test("inline: a person and a post of the page are not linked", () => {
      const { text } = read(page);
      assert.equal(text.split("#### Ada\n").length, 3);
      assert.match(text, /^Jan 2 The keeper wrote post 4711, see \[the other one\]\(\/t\/post-99999\)\.$/m);
    });

    test("numbered: a person is linked each time", () => {
      assert.equal(read(page, "numbered").text.split("[Ada][1]").length, 3);
    });

    test("elsewhere an address that ends like an id is kept", () => {
      const card = '<div id="lamp-4711"><p>Our best <a href="/shop/lamp-4711">lamp of 1850</a></p></div>';
      assert.equal(read(card).text, "Our best [lamp of 1850](/shop/lamp-4711)");
    });
  });

  test("inline: a link whose text is its address needs no brackets", () => {
    const links =
      '<p><a href="https://lamp.example/x/">https://lamp.example/x</a> <a href="mailto:a@b.example">a@b.example</a></p>';
    assert.equal(read(links).text, "https://lamp.example/x a@b.example");
    assert.equal(read('<p><a href="/x">https://lamp.example/x</a></p>').text, "[https://lamp.example/x](/x)");
    assert.equal(read('<p><a href="http://lamp.example/a_b">lamp.example/a_b</a></p>').text, "lamp.example/a_b");
    assert.equal(read('<p><a href="https://lamp.example/x">lamp.&#8203;example/&#8203;x</a></p>').text.length, 16);
    assert.equal(read('<p><a href="https://lamp.example/">lamp.js</a></p>').text, "[lamp.js](https://lamp.example/)");
    assert.equal(
      read('<p><a href="https://mail.example/a@b.example">https://mail.example/a@b.example</a></p>').text,
      "https://mail.example/a@b.example",
    );
  });

  test("inline: case matters in the path of an address, not in its host", () => {
    const link = (text: string): string => read(`<p><a href="https://lamp.example/abC">${text}</a></p>`).text;
    assert.equal(link("HTTPS://Lamp.example/abC"), "HTTPS://Lamp.example/abC");
    assert.equal(link("https://lamp.example/ABc"), "[https://lamp.example/ABc](https://lamp.example/abC)");
  });

  test("signed addresses are written up to 500 characters, in the list at the end up to 2,000", () => {
    const signed = (chars: number): string => "https://lamp.example/?s=".padEnd(chars, "x");
    const page = (address: string): string => `<p>Get <a href="${address}">the log</a></p>`;
    assert.equal(read(page(signed(500))).text, `Get [the log](${signed(500)})`);
    assert.equal(read(page(signed(501))).text, "Get the log");
    assert.ok(read(page(signed(2000)), "numbered").text.endsWith(`[1]: ${signed(2000)}`));
    assert.equal(read(page(signed(2001)), "numbered").text, "Get the log");
  });

  test("numbered: each address once, in a section at the end", () => {
    const { text, marks, linkBase } = read(html, "numbered");
    assert.equal(text, "[one][1], [two][2] and [three][1]\n\n## Links\n\n[1]: /a\n[2]: https://other.example/b");
    assert.equal(marks.at(-1)?.label, "Links");
    assert.equal(linkBase, "https://example.com/docs/page");
  });

  test("none: their text alone, and no address is stated", () => {
    const { text, linkBase } = read(html, "none");
    assert.equal(text, "one, two and three");
    assert.equal(linkBase, undefined);
  });
});

test("the scale of a rating that a reader may give is left out", () => {
  const scale = [1, 2, 3, 4, 5].map((stars) => `<a href="#">${stars} of 5 stars</a>`).join("");
  const row = (name: string): string => `<tr><td>${name}</td><td>4 of 5 stars</td><td><div>${scale}</div></td></tr>`;
  const prose = "<p>The keeper of the lighthouse trims the wick each evening, or the lamp smokes.</p>".repeat(9);
  assert.ok(
    markdownOf(`${prose}<table>${row("Brass")}${row("Tin")}</table>`).endsWith(
      "\n\n| Brass | 4 of 5 stars |\n| --- | --- |\n| Tin | 4 of 5 stars |",
    ),
  );
});

test("cells that claim to span thousands of columns add few empty ones", () => {
  const rows = '<tr><td colspan="1000" rowspan="65000">a</td><td>b</td></tr>'.repeat(300);
  const { text } = read(`<table>${rows}</table>`);
  assert.ok(text.length < 20_000, `${text.length} characters`);
});
