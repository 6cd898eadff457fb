import assert from "node:assert/strict";
import { test } from "node:test";
import { cleanUrl, makePageKey } from "./clean-url.ts";

test("tracking parameters and text fragments are removed, everything else stays byte for byte", () => {
  for (const [given, clean] of [
    ["https://a.example/x?utm_source=n&id=3&gclid=zz", "https://a.example/x?id=3"],
    ["https://a.example/x?utm_source=n", "https://a.example/x"],
    ["https://a.example/x#:~:text=some%20words", "https://a.example/x"],
    ["https://a.example/x#part:~:text=words", "https://a.example/x#part"],
    ["https://a.example/x?q=a+b%20c#s", "https://a.example/x?q=a+b%20c#s"],
    ["mailto:a@b.example", "mailto:a@b.example"],
    ["not an address", "not an address"],
  ] as const)
    assert.equal(cleanUrl(given), clean);
});

test("two spellings of one page have the same key, two pages have not", () => {
  const keys = ["https://www.a.example/x/", "http://a.example/x", "https://a.example/x?utm_medium=y#top"].map(
    makePageKey,
  );
  assert.equal(new Set(keys).size, 1);
  assert.notEqual(makePageKey("https://a.example/x?id=1"), makePageKey("https://a.example/x?id=2"));
});
