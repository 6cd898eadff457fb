import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chooseLinkBase, relativeAddress } from "./link-base.ts";

const page = new URL("https://lamp.example/lists/brass?page=2");
const urls = (count: number, address: (number: number) => string): readonly URL[] =>
  Array.from({ length: count }, (_, number) => new URL(address(number)));

describe("links are relative to", () => {
  const cases = [
    { name: "the page, if few are in another folder", count: 5, folder: "https://lamp.example/item/", base: page.href },
    {
      name: "the folder that most are in",
      count: 40,
      folder: "https://lamp.example/catalogue/item/",
      base: "https://lamp.example/catalogue/item/",
    },
    {
      name: "a folder of another site",
      count: 40,
      folder: "https://wick.example/record/",
      base: "https://wick.example/record/",
    },
  ];
  for (const { name, count, folder, base } of cases)
    test(name, () => {
      const targets = [...urls(count, (number) => `${folder}${number}`), new URL("https://lamp.example/about")];
      assert.equal(chooseLinkBase(page, targets).href, base);
    });

  test("the page, if the base is too long to be named", () => {
    const folder = `https://wick.example/${"a".repeat(300)}/`;
    assert.equal(
      chooseLinkBase(
        page,
        urls(40, (number) => folder + number),
      ),
      page,
    );
  });
});

describe("an address that is written relative to a base leads to the same page", () => {
  const targets = [
    "https://lamp.example/",
    "https://lamp.example/lists/brass",
    "https://lamp.example/lists/brass?page=3#top",
    "https://lamp.example/lists/",
    "https://lamp.example/lists/a:b",
    "https://lamp.example//double",
    "https://lamp.example/catalogue/item/7?x=1#y",
    "https://wick.example/record/7",
    "https://user@lamp.example/x",
    "http://lamp.example/x",
    "mailto:ada@lamp.example",
  ];
  const bases = [page.href, "https://lamp.example/catalogue/item/", "https://wick.example/record/"];
  for (const base of bases)
    for (const target of targets)
      test(`${target} from ${base}`, () => {
        const address = relativeAddress(new URL(target), new URL(base));
        assert.equal(new URL(address, base).href, target);
      });
});
