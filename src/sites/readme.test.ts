import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertLinearTime } from "../../test/cpu-time.ts";
import { findReadme, tidyReadme } from "./readme.ts";

describe("a README", () => {
  test("is the one with the shortest name", () => {
    const entries = ["docs/README.md", "README.rst", "README.md", "readme.txt"].map((path) => ({
      path,
      isFolder: false,
      sizeBytes: 1,
    }));
    assert.equal(findReadme("", entries), "README.md");
    assert.equal(findReadme("docs", entries), "docs/README.md");
    assert.equal(findReadme("src", entries), undefined);
  });

  test("loses badges, frames and comments, and keeps its words and its code", () => {
    const markdown = [
      '<p align="center">',
      '  <a href="https://weir.example"><img src="logo.svg" alt="Weir"></a>',
      "</p>",
      "",
      "[![Build](https://ci.example/b.svg)](https://ci.example) [![npm][npm-badge]][npm-url]",
      "",
      "# Weir ![beta](beta.svg)",
      "<!-- hidden: say",
      "nothing --> Raise the gate. <!-- x -->",
      "![A gate, drawn](gate.png) shows it.",
      "```html",
      '<img src="kept.png"> <!-- kept -->',
      "```",
      "[npm-badge]: https://img.shields.io/npm/v/weir.svg",
      "[guide]: https://weir.example/guide",
    ].join("\n");
    assert.equal(
      tidyReadme(markdown).trim(),
      [
        "# Weir ![beta](beta.svg)",
        " Raise the gate. ",
        "![A gate, drawn](gate.png) shows it.",
        "```html",
        '<img src="kept.png"> <!-- kept -->',
        "```",
        "[guide]: https://weir.example/guide",
      ].join("\n"),
    );
  });

  test("without any of these stays as it is", () => {
    const plain = "# Weir\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- one\n  <br>two\n\n    <p>code</p> x\n";
    assert.equal(tidyReadme(plain), plain);
  });

  test("takes time in proportion to its length", async () => {
    for (const part of ["![", "[![a](b)](", "<!--", "<img ", "```\n"])
      await assertLinearTime(16 * 1024, (size) => tidyReadme(part.repeat(size)), part);
  });
});
