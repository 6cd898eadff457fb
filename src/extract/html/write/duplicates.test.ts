import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { extractHtml } from "../page.ts";

const markdownOf = (html: string): string => extractHtml(html, { mode: "markdown" }).text;

describe("repeated content is written once:", () => {
  test("the same heading twice in a row", () => {
    assert.equal(
      markdownOf("<h2>Fog</h2><h2>Fog</h2><p>a</p><h2>Fog</h2><h3>Fog</h3>"),
      "## Fog\n\na\n\n## Fog\n\n### Fog",
    );
  });

  test("an image with the same label, unless it is a sign", () => {
    const image = '<figure><img src=a.png alt="The brass lamp in the harbour"></figure>';
    const icon = '<img src=b.png alt="Yes">';
    assert.equal(
      markdownOf(`${image}${image}<p>${icon} and ${icon}</p>`),
      "![The brass lamp in the harbour](a.png)\n\nYes and Yes",
    );
  });

  test("a paragraph, unless its image is another one", () => {
    const view = "Seen from the window on the third floor of the old mill, looking down on the river.";
    const paragraph = (image: string): string => `<div><p><img src="${image}" alt="The mill street"> ${view}</p></div>`;
    const written = (image: string): string => `![The mill street](${image}) ${view}`;
    assert.equal(
      markdownOf(`<p>Two views:</p>${["before.jpg", "after.jpg", "after.jpg"].map(paragraph).join("")}`),
      `Two views:\n\n${written("before.jpg")}\n\n${written("after.jpg")}`,
    );
  });
});

test("a copy whose link is emphasized, and not repeated, is a copy", () => {
  const link = '<em><a href="/mill">the mill street</a></em>';
  const post = `<div><p>Seen from the third floor of the old mill: ${link} in the autumn of that year, before the flood.</p></div>`;
  const prose = "The keeper of the lighthouse wrote down the weather of that day, and lit the lamp.".repeat(3);
  assert.equal(
    markdownOf(`<p>${prose}</p>${post}${post}`),
    `${prose}\n\nSeen from the third floor of the old mill: [the mill street](/mill) in the autumn of that year, before the flood.`,
  );
});

test("links that only skip a part of the page are left out", () => {
  const links = '<a href="#main">Skip to main content</a><p>a</p><a href="#top">Back to top</a>';
  assert.equal(markdownOf(links), "a");
  assert.equal(markdownOf('<p><a href="/skip">Skip to next year</a></p>'), "[Skip to next year](/skip)");
});
