import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertLinearTime } from "../../../test/cpu-time.ts";
import { parseRobots } from "./robots.ts";

describe("robots.txt", () => {
  for (const { text, path, allowed } of [
    { text: "", path: "/a", allowed: true },
    { text: "User-agent: *\nDisallow: /", path: "/a", allowed: false },
    { text: "User-agent: *\nDisallow:", path: "/a", allowed: true },
    { text: "User-agent: other\nDisallow: /", path: "/a", allowed: true },
    { text: "user-agent: Spillway\ndisallow: /a # ours\n\nUser-agent: *\nDisallow: /b", path: "/a", allowed: false },
    { text: "User-agent: spillway\nDisallow: /a\nUser-agent: *\nDisallow: /b", path: "/b", allowed: true },
    { text: "User-agent: x\nUser-agent: *\nDisallow: /a", path: "/a/b", allowed: false },
    { text: "User-agent: *\nDisallow: /a\nAllow: /a/public", path: "/a/public/x", allowed: true },
    { text: "User-agent: *\nAllow: /a\nDisallow: /a", path: "/a", allowed: true },
    { text: "User-agent: *\nDisallow: /*.pdf$", path: "/x/y.pdf", allowed: false },
    { text: "User-agent: *\nDisallow: /*.pdf$", path: "/x/y.pdf?z", allowed: true },
    { text: "User-agent: *\nDisallow: /*/private/*", path: "/x/private/y", allowed: false },
    { text: "User-agent: *\nDisallow: /a$", path: "/ab", allowed: true },
    { text: "User-agent: *\nDisallow: /*?q=", path: "/search?q=1", allowed: false },
    { text: "User-agent:\nDisallow:\nUser-agent: *\nDisallow: /", path: "/a", allowed: false },
    { text: "User-agent: s\nDisallow:\n\nUser-agent: *\nDisallow: /", path: "/a", allowed: false },
    { text: "User-agent: Spillway/1.0\nDisallow: /", path: "/a", allowed: false },
    { text: "User-agent: *\nDisallow: /a%7Eb", path: "/a~b", allowed: false },
    { text: "User-agent: *\nDisallow: /\u00e4", path: "/%c3%A4/x", allowed: false },
    { text: "Disallow: /\nnonsense\n: :", path: "/a", allowed: true },
  ]) {
    test(`${JSON.stringify(text)} ${allowed ? "allows" : "disallows"} ${path}`, () => {
      assert.equal(parseRobots(text, "spillway")(path), allowed);
    });
  }

  test("with hostile patterns is matched in time linear in the path", () => {
    const rules = parseRobots(`User-agent: *\n${`Disallow: ${"/*a".repeat(300)}$\n`.repeat(100)}`, "spillway");
    return assertLinearTime(5_000, (length) => assert.equal(rules(`/${"a".repeat(length)}`), true));
  });
});
