import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { extractHtml } from "../page.ts";

/** How pages put a note into its line; the mark before it stays. */
const cases: readonly { name: string; html: string; expected: string }[] = [
  {
    name: "in the margin, with a box that unfolds it",
    html: '<label for="s1" class="margin-toggle sidenote-number"></label><input type="checkbox" id="s1"><span class="sidenote">In autumn.</span>',
    expected: "It rains. ^[In autumn.] It snows.",
  },
  {
    name: "with a number of its own",
    html: '<sup>1</sup><span class="side-note"><span class="number">1. </span>In autumn.</span>',
    expected: "It rains.^1 ^[In autumn.] It snows.",
  },
  {
    name: "hidden until a reader asks for it",
    html: '<span class="inline-footnote">1<span class="footnoteContent" style="display:none">In <a href="/a">autumn</a>.</span></span>',
    expected: "It rains.1 ^[In [autumn](/a).] It snows.",
  },
  {
    name: "as papers are written from TeX",
    html: '<span class="ltx_note"><sup class="ltx_note_mark">2</sup><span class="ltx_note_outer"><span class="ltx_note_content"><sup class="ltx_note_mark">2</sup><span class="ltx_tag_note">2</span>In autumn.</span></span></span>',
    expected: "It rains.^2 ^[In autumn.] It snows.",
  },
];

describe("a note in its line is told from the line:", () => {
  for (const { name, html, expected } of cases) {
    test(name, () =>
      assert.equal(extractHtml(`<p>It rains.${html} It snows.</p>`, { mode: "markdown" }).text, expected),
    );
  }

  test("a mark that is called a note is no note, nor is a whole paragraph", () => {
    const page =
      '<p>It rains<span class="footnote">[1]</span>.</p><p><small class="footnote">In autumn it does.</small></p>';
    assert.equal(extractHtml(page, { mode: "markdown" }).text, "It rains[1].\n\nIn autumn it does.");
  });
});
