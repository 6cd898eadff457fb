import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { extractHtml } from "../page.ts";

const weather = "the keeper of the lighthouse wrote down the weather of that day, and the ships that passed it.";
const prose = Array.from({ length: 6 }, (_, index) => `<p>${index + 1}: ${weather}</p>`).join("\n");
const menu = '<a href="a">Home</a><br><a href="b">Lamps</a><br><a href="c">Guests</a>';
const markdownOf = (html: string): string => extractHtml(html, { mode: "markdown" }).text;

describe("a page without tags or names for its frame", () => {
  const table = (cells: string): string => `<body><table width=760><tr>${cells}</tr></table></body>`;

  test("loses the menu and the foot beside the cell with its text", () => {
    const foot = '</tr><tr><td colspan=2>Best seen at noon. <a href="r1">Prev</a> | <a href="r2">Next</a></td>';
    const text = markdownOf(table(`<td>${menu}</td><td>${prose}<table><tr><td>1<td>2</table></td>${foot}`));
    assert.match(text, /the keeper/);
    assert.doesNotMatch(text, /Guests|Best seen/);
  });

  test("keeps cells of links if no cell has most of the text", () => {
    assert.match(markdownOf(table(`<td>${menu}</td><td>${menu.replaceAll("Guests", "Ships")}</td>`)), /Guests.*Ships/s);
  });

  test("loses a head with a search field and a foot of links", () => {
    const head = '<div><form><input name=q></form><a href="/s">Settings</a></div>';
    const foot = '<div><a href="/about">About</a> <a href="/privacy">Privacy</a></div>';
    const text = markdownOf(`<body>${head}<div><p>${weather}</p><p>${weather} Twice.</p></div>${foot}</body>`);
    assert.match(text, /Twice/);
    assert.doesNotMatch(text, /Settings|Privacy/);
  });

  for (const [place, end] of [
    ["below a heading", '<h2>Download</h2>\n<p><a href="/t">lamp.tar.gz</a> <a href="/z">lamp.zip</a></p>'],
    ["with a heading", '<div><h2>Download</h2><a href="/t">lamp.tar.gz</a> <a href="/z">lamp.zip</a></div>'],
  ])
    test(`keeps links ${place} at its end`, () =>
      assert.match(markdownOf(`<body><h1>Lamp</h1>${prose}${end}</body>`), /## Download\n\n.*lamp\.zip/));

  test("keeps a list of links that is most of it, whatever field is in it", () => {
    const stories = Array.from({ length: 9 }, (_, index) => `<h2><a href="/${index}">Story ${index}</a></h2>`).join("");
    const text = markdownOf(`<body><div><input name=q>${stories}</div><div>Made by keepers</div></body>`);
    assert.match(text, /Story 8/);
  });

  test("keeps links that are all there is", () => {
    assert.match(markdownOf('<body><div><a href="/a">About</a> <a href="/p">Privacy</a></div></body>'), /Privacy/);
  });
});

describe("lines that are controls", () => {
  const thread = (line: string): string =>
    `<body><main><h1>Log</h1><p>${weather}</p><p>${weather} Twice.</p>${line}</main></body>`;

  for (const line of [
    '<p>Please <a href="/r">register</a> or <a href="/l">sign in</a> to reply</p>',
    '<p>You must <a href="/l">log in</a> to answer this question.</p>',
    "<p>You need to be logged in to comment on this article</p>",
    "<h2>You must log in to answer this question.</h2>",
    '<div class="bookmarks"><h3>Bookmark</h3></div>',
    "<p>Bookmark this page</p>",
    '<p><a href="/print">Print Recipe</a></p>',
    "<div><label>Sorted by:</label></div>",
    "<label>Explorer Toggle</label>",
  ])
    test(`are left out: ${line}`, () => assert.match(markdownOf(thread(line)), /Twice\.$/));

  for (const line of [
    "<p>Log in to the lamp room, then light it.</p>",
    "<p>Print recipes of old keepers here.</p>",
    "<p>You must register to vote by 5 October 2026.</p>",
    "<p>Please register to comment on the draft.</p>",
    "<p>Log in to comment, and the keeper will write back to you on Monday.</p>",
    '<ul><li><a href="/online">Register to vote online</a></li></ul>',
    "<h2>Register to vote</h2>",
    '<h2><a href="/l">Log in to comment</a></h2>',
    "<div><h2>Bookmark this page</h2></div>",
    "<p>Bookmark</p>",
    "<dl><dt>Print recipe</dt></dl>",
  ])
    test(`are kept if they say more: ${line}`, () => assert.doesNotMatch(markdownOf(thread(line)), /Twice\.$/));
});

describe("reviews of a product", () => {
  const review = (index: number): string =>
    `<article class="review"><h3>Title ${index}</h3><p>Review ${index}: ${weather}</p></article>`;
  const product = (count: number): string =>
    `<html><head><meta property="og:type" content="product"></head><body><main><h1>Lamp</h1>${prose}
    <section class="reviews"><h2>Customer reviews</h2>${Array.from({ length: count }, (_, index) => review(index)).join("")}</section></main></body></html>`;

  test("are kept if they are few", () => assert.match(markdownOf(product(2)), /Review 1/));
  test("are left out if they are many", () => assert.doesNotMatch(markdownOf(product(20)), /Review/));
});
