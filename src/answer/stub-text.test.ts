import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { isStub, makeStub, type StubFacts } from "./stub-text.ts";

const facts: StubFacts = {
  ref: `af_${"0123456789abcdef".repeat(2)}`,
  kind: "text",
  sizeBytes: 15_234,
  text: "first line\nsecond line\nlast line",
  tool: "shell",
  reader: { tool: "read_artifact" },
};

describe("a stub", () => {
  test("says what it replaces, how large that is, and how to read it", () => {
    assert.equal(
      makeStub({ ...facts, text: "x".repeat(15_000) }, 0),
      `[Set aside by Spillway to fit the model's limit: text from tool shell, 15 KB, 15,000 chars. Kept whole as artifact_ref=${facts.ref}. To read it: read_artifact with that artifact_ref and offset, lines or query.]`,
    );
  });

  test("still names the first sources that the result was about", () => {
    const sources = ["1", "2", "3", "4"].map((digit) => `af_${digit.repeat(32)}`);
    const stub = makeStub(
      { ...facts, text: `[Fetched ${sources.join(" and ")}]${"x".repeat(3_000)} af_${"5".repeat(32)}` },
      0,
    );
    assert.match(
      stub,
      /chars\. It is about artifact_ref=af_1{32}, artifact_ref=af_2{32}, artifact_ref=af_3{32}\. Kept whole as/,
    );
    assert.ok(isStub(stub) && !stub.includes("af_4") && !stub.includes("af_5"));
  });

  test("names the command and the file where the model has no reader", () => {
    const stub = makeStub({ ...facts, reader: { path: "/data/blobs/ab/abcd" } }, 0);
    assert.match(stub, /To read it: spillway read af_[0-9a-f]{32} .*Its bytes: \/data\/blobs\/ab\/abcd\]$/);
  });

  test("shows the beginning and the end, cut between code points", () => {
    const stub = makeStub({ ...facts, text: `start ${"🌊".repeat(500)} end` }, 101);
    assert.match(stub, /start 🌊+\n\[\.\.\.\]\n🌊+ end$/u);
    assert.ok(stub.isWellFormed());
  });

  test("shows no control characters, terminal escapes, direction overrides or invisible tags", () => {
    const hidden = "\x1b[31m red \x00\x07\x7f\x9b \u202e reversed \u2066 \u{e0041}\u{e007f}";
    const stub = makeStub({ ...facts, text: `tab\tand line\n${hidden}`, tool: hidden, name: hidden }, 200);
    assert.doesNotMatch(stub, /[^\P{C}\n\t]/u);
    assert.ok(stub.includes("tab\tand line\n\ufffd[31m red "));
    assert.ok(isStub(stub));
  });

  test("is recognised, whatever it replaces and however much it shows", () => {
    const anything = fc.record({
      text: fc.string({ unit: "binary", maxLength: 3_000 }),
      tool: fc.string({ unit: "binary" }),
      name: fc.string({ unit: "binary" }),
      sizeBytes: fc.nat(),
    });
    fc.assert(
      fc.property(anything, fc.nat(2_000), fc.boolean(), (given, shownChars, reads) => {
        const stub = makeStub(
          { ...facts, ...given, reader: reads ? { tool: "read_artifact" } : { path: null } },
          shownChars,
        );
        assert.ok(isStub(stub));
        assert.ok(stub.length <= shownChars + 700);
        assert.equal(
          makeStub({ ...facts, ...given, reader: reads ? { tool: "read_artifact" } : { path: null } }, shownChars),
          stub,
        );
      }),
    );
  });

  test("is not faked by a text that begins like one", () => {
    const stub = makeStub(facts, 20);
    for (const fake of [
      `${stub}x`,
      `${stub}\n${"more ".repeat(10_000)}`,
      `x${stub}`,
      stub.slice(0, 60),
      stub.slice(0, -1),
    ]) {
      assert.equal(isStub(fake), false);
    }
  });
});
