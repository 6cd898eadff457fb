import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertLinearTime } from "../../../../test/cpu-time.ts";
import { parseHtml } from "./parse.ts";
import type { Element } from "./tree.ts";

/** The text that can be seen. */
function visibleText(html: string): string {
  const { root } = parseHtml(html);
  const read = (element: Element): string =>
    element.hidden ? "" : element.children.map((child) => (typeof child === "string" ? child : read(child))).join("");
  return read(root).replace(/\s+/g, " ").trim();
}

const sheet = "<style>.hero{background:#123}</style>";

describe("text in the colour of its background", () => {
  const hidden = [
    '<p style="color:white">obey</p>',
    '<p style="COLOR: #FFF ;">obey</p>',
    '<p style="color:#ffffff!important">obey</p>',
    '<p style="color:rgb(255, 255, 255)">obey</p>',
    '<p style="color:rgb(100% 100% 100%)">obey</p>',
    '<p style="color:#fefefe">obey</p>',
    '<font color="white">obey</font>',
    '<font color="#FFFFFF">obey</font>',
    '<div style="color:#fff"><b>ob</b>ey</div>',
    '<div bgcolor="#000000"><span style="color:black">obey</span></div>',
    '<p style="background:#123456;color:#123456">obey</p>',
    '<p style="background-color:rgba(9,9,9,1);color:#090909">obey</p>',
    '<p style="color:#000;color:#fff">obey</p>',
    '<div style="color:#fff">obey<b style="color:#000"> </b></div>',
    '<p style="background:black">obey</p>',
    `${sheet}<p style="color:#fff">obey</p>`,
    `${sheet}<p class="note" style="color:#fff">obey</p>`,
    '<p style="color:#fff;background:transparent">obey</p>',
    '<p style="color:hsl(0 0% 100%);background:white none">obey</p>',
    '<p style="color:tomato;background:#ff6347">obey</p>',
    '<p style="color:#ffff">obey</p>',
    '<p style="-webkit-text-fill-color:white">obey</p>',
    "<style>.x{color:#fff}</style><p class='a x'>obey</p>",
    "<style>@layer base{#x{color:white}}</style><p id=x>obey</p>",
    "<style>@media screen{em{color:white}}</style><p><em>obey</em></p>",
    "<style>em.x, .y{COLOR : #FFF !important}</style><p><em class=x style='color:#000'>obey</em></p>",
    "<style>/* } */ .a{content:'}'} .\\78 {c\\6flor:white}</style><p class=x>obey</p>",
    "<style>a:hover{color:red}p.x{color:#000}#o{color:#fff}</style><p class=x id=o>obey</p>",
    "<style>.dark{background:#000}.dark2{color:black}</style><div class=dark><b class=dark2>obey</b></div>",
    `${sheet}<p style="color:#fff;background:#fff">obey</p>`,
    `${sheet}<p class="x" style="color:#fff;background:#fff">obey</p>`,
    `${sheet}<div style="background:#fff"><span style="color:#fff">obey</span></div>`,
  ];
  for (const html of hidden) {
    test(`is hidden: ${html}`, () =>
      assert.equal(visibleText(`<p>Weirs</p>${html}<p>hold.</p>`).replace(" ", ""), "Weirshold."));
  }

  const visible = [
    '<p style="color:#333">read</p>',
    '<p style="color:#fff;background:#123">read</p>',
    '<div style="background:#123"><p style="color:#fff">read</p></div>',
    '<div style="background:url(dark.png)"><p style="color:#fff">read</p></div>',
    '<div style="background:linear-gradient(#000,#111)"><p style="color:#fff">read</p></div>',
    '<td bgcolor="#003366"><font color="#ffffff">read</font></td>',
    '<div style="color:#fff"><p style="color:#000">read</p></div>',
    '<p style="background-color:rgba(0,0,0,.1);color:#000">read</p>',
    '<p style="color:var(--x);background:#fff">read</p>',
    `${sheet}<div class="hero"><h1 style="color:#fff">read</h1></div>`,
    `${sheet}<div style="background:#fff"><div class="hero"><h1 style="color:#fff">read</h1></div></div>`,
    '<link rel="stylesheet" href="a.css"><h1 style="color:white">read</h1>',
    '<style>@import "a.css";</style><h1 style="color:white">read</h1>',
    "<style>.hero{background:#123}.hero h1{color:#fff}</style><div class=hero><h1>read</h1></div>",
    "<style>.hero{background:#123;color:#fff}</style><div class=hero><h1>read</h1></div>",
    "<style>body{background:#111;color:#eee}</style><p>read <b style='color:#fff'>read</b></p>",
    "<style>.x{color:#fff}.y .x{color:#000}</style><p class=x>read</p>",
    "<style media=print>.x{color:#fff}</style><p class=x>read</p>",
    "<style>@media print{.x{color:#fff}}</style><p class=x>read</p>",
    "<style>@media (prefers-color-scheme:dark){p{color:#fff}}</style><p>read</p>",
    "<style>.x::after{color:#fff}.x:hover{color:#fff}</style><p class=x>read</p>",
    "<style>.x{color:#fff}.x{color:#333}</style><p class=x>read</p>",
    "<style>@keyframes a{from{color:#fff}}p{color:#333}</style><p>read</p>",
    "<style>.x{color:#fff}</style><p class=x style='color:#333'>read</p>",
    "<style>.btn{color:#fff;background:var(--blue)}</style><a class=btn>read</a>",
  ];
  for (const html of visible) {
    test(`is shown: ${html}`, () => assert.match(visibleText(`<p>Weirs</p>${html}<p>hold.</p>`), /read/));
  }

  test("costs no more than the size of the page", async () => {
    const part = '<div style="color:#fff;background:#000">a<b style="color:#000">b</b>';
    await assertLinearTime(1_000, (count) => parseHtml(part.repeat(count)));
    const rule = (count: number) => Array.from({ length: count }, (_, each) => `.x.y${each},p{color:#fff}`).join("");
    await assertLinearTime(5_000, (count) =>
      parseHtml(`<style>${"a{color:red;".repeat(count)}${"@media x{".repeat(count)}${"'".repeat(count)}`),
    );
    await assertLinearTime(3_000, (count) =>
      parseHtml(`<style>${rule(count)}url(${"url(".repeat(count)}</style>${'<p class="x">a</p>'.repeat(count)}`),
    );
  });
});

describe("text that is too small or off the screen", () => {
  const hidden = [
    ...[
      "font-size:0",
      "font-size:0px",
      "font-size: 0.0em",
      "font-size:1px",
      "font-size:.5pt",
      "font-size:1.0px !important",
    ],
    ...["font-size:.01em", "left:-9999px", "position:absolute; left: -999px", "bottom:-5000px", "margin-top:-9999px"],
    ...[
      "text-indent:-999em",
      "transform:translateX(-9999px)",
      "transform: translate(0, -10000px)",
      "color:transparent",
    ],
    ...["color:rgba(0,0,0,0)", "visibility:collapse", "visibility:hidden", "display:none"],
  ];
  const page = "<p>Weirs</p><p>hold</p><p>the</p><p>water.</p><p>They</p><p>do.</p>";
  for (const style of hidden)
    test(`is hidden: ${style}`, () => {
      assert.equal(visibleText(`<p>Weirs</p><p style="${style}">obey</p>`), "Weirs");
      for (const [selector, attribute] of [
        [".x", "class=x"],
        ["#x", "id=x"],
        ["p.x", "class='y x'"],
      ])
        assert.equal(
          visibleText(`<style>${selector}{margin:0;${style}}</style>${page}<p ${attribute}>obey</p>`),
          visibleText(page),
        );
    });

  for (const html of [
    "<style>.x{display:none}</style><p class=x style='display:block'>read</p>",
    "<style>.x{display:none}.x.open{display:block}</style><p class='x open'>read</p>",
    "<style>.x{display:none}.js .x{display:block}</style><p class=x>read</p>",
    "<style>.no-js .x{display:none}</style><p class=x>read</p>",
    "<style>body{visibility:hidden}</style><body><p>read</p>",
  ])
    test(`is shown: ${html}`, () => assert.match(visibleText(`${html}${page}`), /read/));

  const visible = [
    ...["font-size:10px", "font-size:1em", "font-size:1.5px", "font-size:100%", "font-size:0.8em", "left:-10px"],
    ...[
      "margin-left:-100px",
      "left:-999px",
      "transform:translateX(-50%)",
      "-webkit-background-clip:text;color:transparent",
    ],
  ];
  for (const style of visible)
    test(`is shown: ${style}`, () => assert.match(visibleText(`<p>Weirs</p><p style="${style}">read</p>`), /read/));
});
