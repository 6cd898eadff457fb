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
    `${sheet}<p style="color:#fff">read</p>`,
    `${sheet}<div class="hero"><h1 style="color:#fff">read</h1></div>`,
    `${sheet}<div style="background:#fff"><div class="hero"><h1 style="color:#fff">read</h1></div></div>`,
    '<link rel="stylesheet" href="a.css"><h1 style="color:white">read</h1>',
  ];
  for (const html of visible) {
    test(`is shown: ${html}`, () => assert.match(visibleText(`<p>Weirs</p>${html}<p>hold.</p>`), /read/));
  }

  test("costs no more than the size of the page", async () => {
    const part = '<div style="color:#fff;background:#000">a<b style="color:#000">b</b>';
    await assertLinearTime(2_000, (count) => parseHtml(part.repeat(count)));
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
    ...["color:rgba(0,0,0,0)"],
  ];
  for (const style of hidden)
    test(`is hidden: ${style}`, () => assert.equal(visibleText(`<p>Weirs</p><p style="${style}">obey</p>`), "Weirs"));

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
