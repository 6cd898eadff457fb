import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { extractHtml } from "../page.ts";

/** Where the first link of a page leads, by its address and the base that the reply names. */
function followLink(url: string, href: string, around = ""): string | undefined {
  const html = `<main><p>The keeper lights the lamp. <a href="${href}">The lamp</a></p>${around}</main>`;
  const { text, linkBase } = extractHtml(html, { url, mode: "markdown" });
  const address = /\]\((.*)\)/.exec(text)?.[1];
  return address === undefined ? undefined : new URL(address, linkBase).href;
}

describe("a link leads where it led", () => {
  const links = [
    ["https://www.amazon.com/Wind-Lamp/dp/B000123456/ref=sr_1_1?keywords=x", "/dp/B000999999"],
    ["https://lamp.example/a/b;jsessionid=AAA/c", "/a/b/d"],
    ["https://superuser.com/questions/1110045/wind-lamp", "/questions/1110046"],
    ["https://lamp.example/a", "https://lamp.example//eula/12"],
    ["https://lamp.example/a", "https://lamp.example//other.example/x"],
    ["https://www.reddit.com/r/x/comments/abc12/some_title_here/", "../../def34/other/k9x2/"],
    ["https://www.reddit.com/r/x/comments/abc12/some_title_here/", "def34/?context=3"],
    ["https://superuser.com/questions/123/some-title", "456"],
    ["https://lamp.example/a/b", "/x:y"],
  ] as const;
  for (const [url, href] of links)
    test(`${href} on ${url}`, () => assert.equal(followLink(url, href), new URL(href, url).href));

  test("with a backslash in its query", () =>
    assert.equal(followLink("https://lamp.example/a", "/x?a=\\*b"), "https://lamp.example/x?a=%5C*b"));
});

describe("in a thread", () => {
  const post = (id: number) =>
    `<div class="post" id="post${id}"><p class="author">Ada ${id}</p><div class="postbody">The lamp of ${id} burns.</div></div>`;
  const read = (link: string) =>
    extractHtml(
      `<body id="phpbb" class="section-viewtopic"><div id="page-body">${[100, 101, 102, 103].map(post).join("")}
        <div class="post" id="post104"><div class="postbody">See ${link} there.</div></div></div></body>`,
      { url: "https://forum.example/viewtopic.php?t=5", mode: "markdown" },
    ).text;

  test("a post of the page is text", () =>
    assert.match(read('<a href="/viewtopic.php?p=101#post101">the other one</a>'), /See the other one there/));

  test("a post of another thread is a link, also if its number is on the page", () =>
    assert.match(
      read('<a href="/viewtopic.php?t=99#post101">the other one</a>'),
      /See \[the other one\]\(\?t=99#post101\) there/,
    ));
});
