import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertLinearTime } from "../../test/cpu-time.ts";
import { writeFence } from "./site-document.ts";
import { findSite } from "./sites.ts";

describe("a fence", () => {
  test("is longer than any in its code", () => {
    assert.equal(writeFence("a\n  ````\nb", "md"), "`````md\na\n  ````\nb\n`````");
  });

  test("takes time in proportion to its code", () =>
    assertLinearTime(64 * 1024, (size) => writeFence("\n".repeat(size))));
});

describe("the address of one's own server", () => {
  const own = ["gitlab=https://git.example.com/api/v4"];

  test("is for the pages of that server, not for the public ones", () => {
    assert.equal(findSite(new URL("https://git.example.com/a/b"), own)?.apiUrl, "https://git.example.com/api/v4");
    assert.equal(findSite(new URL("https://gitlab.com/a/b"), own)?.apiUrl, undefined);
    assert.equal(findSite(new URL("https://gitlab.com/a/b"), own)?.name, "gitlab");
  });
});
