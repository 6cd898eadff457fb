import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { memoryObjects } from "../artifacts/memory-objects.ts";
import type { Objects } from "../artifacts/objects.ts";
import { type ExtractOptions, extractText } from "./extract.ts";
import type { ExtractItem, Handler } from "./handler.ts";
import { countTotalLines } from "./select/select-range.ts";

/** A handler that yields these pages and then one more item, or throws; it counts the pages it parses. */
function pages(texts: readonly string[], then?: ExtractItem | Error): Handler & { parsed: number } {
  return {
    name: "pages",
    version: 1,
    runs: "inline",
    parsed: 0,
    canHandle: () => true,
    async *extract(_file, { from }) {
      for (const [index, text] of texts.entries()) {
        if (index < from) continue;
        this.parsed++;
        yield { segment: { index, kind: "page", label: `page ${index + 1}`, text, marks: [] } };
      }
      if (then instanceof Error) throw then;
      if (then) yield then;
    },
  };
}

function request(objects: Objects, handler: Handler, more: Partial<ExtractOptions> = {}): ExtractOptions {
  return {
    objects,
    owner: "alice",
    facts: {
      sha256: "0".repeat(64),
      size_bytes: 1,
      content_kind: "pdf",
      media_type: "application/pdf",
      charset: null,
      name: "x.pdf",
      source_url: "a.pdf",
    },
    content: { bytes: new Uint8Array() },
    handler,
    mode: "text",
    enough: () => false,
    maxChars: Number.POSITIVE_INFINITY,
    limits: { memoryBytes: 1, cpuMs: 1, wallMs: 1, children: 1 },
    signal: new AbortController().signal,
    ...more,
  };
}

const keysOf = async (objects: Objects) => (await Array.fromAsync(objects.list(""))).map(({ key }) => key);

describe("extracting", () => {
  test("stores every segment, and a second time parses nothing", async () => {
    const [objects, handler] = [memoryObjects(), pages(["one", "two"])];
    await extractText(request(objects, handler));
    const extract = await extractText(request(objects, handler));
    assert.equal(handler.parsed, 2);
    assert.deepEqual(extract.ended, { failed: null });
    assert.equal((await Array.fromAsync(extract.segments(), ({ text }) => text)).join(""), "one\n\ntwo");
  });

  test("looks for no stored segments of new content, and replaces those that a killed process has left", async () => {
    const [stored, handler] = [memoryObjects(), pages(["one", "two"])];
    await extractText(request(stored, handler));
    const before = await keysOf(stored);
    const objects: Objects = { ...stored, list: () => assert.fail("listed") };
    const extract = await extractText(request(objects, handler, { isNewContent: true }));
    assert.deepEqual([extract.size.segments, handler.parsed], [2, 4]);
    assert.deepEqual(await keysOf(stored), before);
  });

  test("stops when it is enough and continues from there", async () => {
    const [objects, handler] = [memoryObjects(), pages(["one", "two", "three"])];
    const some = await extractText(request(objects, handler, { enough: ({ segments }) => segments >= 2 }));
    assert.deepEqual([some.size.segments, some.ended, handler.parsed], [2, null, 2]);
    const all = await extractText(request(objects, handler));
    assert.deepEqual([all.size.segments, handler.parsed], [3, 3]);
    assert.equal(all.size.chars, "one\n\ntwo\n\nthree".length);
  });

  test("counts a text without pages to its end, although it is too long to be stored at once", async () => {
    const objects = memoryObjects();
    const handler: Handler = {
      ...pages([]),
      async *extract(_file, { from }) {
        for (const index of [0, 1, 2, 3]) {
          const segment = { index, kind: "whole", label: "", text: `line ${index}\n`, marks: [] } as const;
          if (index >= from) yield { segment };
        }
      },
    };
    const limits = { enough: () => true, maxChars: 10 };
    const some = await extractText(request(objects, handler, limits));
    assert.deepEqual([some.size.segments, some.isPartial, some.totalChars], [2, true, 28]);
    assert.equal(await countTotalLines(some), 4);
    assert.equal((await extractText(request(objects, handler, limits))).totalChars, 28, "and keeps the count");
    const all = await extractText(request(objects, handler, { maxChars: 100 }));
    assert.deepEqual([all.size.chars, all.isPartial, all.totalChars], [28, false, 28]);
  });

  test("does not know the length of a document that was not read to its end", async () => {
    const handler = pages(["one", "two", "three"]);
    const some = await extractText(request(memoryObjects(), handler, { enough: () => true }));
    assert.deepEqual([some.isPartial, some.totalChars, await countTotalLines(some)], [true, null, null]);
    const failed = { failed: { reason: "too_slow", detail: "" } } as const;
    const none = await extractText(request(memoryObjects(), pages([], failed)));
    assert.deepEqual([none.isPartial, none.totalChars], [true, null], "nor if reading it failed for now");
  });

  test("extracts far pages without those before them, and once", async () => {
    const objects = memoryObjects();
    const handler = pages(Array.from({ length: 100 }, (_, index) => `page ${index + 1}`));
    const extractAll = handler.extract.bind(handler);
    const counted: Handler = {
      ...handler,
      async *extract(...input) {
        yield { info: { pageCount: 100 } };
        yield* extractAll(...input);
      },
    };
    const first = { enough: ({ segments }: { segments: number }) => segments >= 2 };
    await extractText(request(objects, counted, first));
    const wanted = {
      enough: () => false,
      pages: [
        { first: 90, last: 91 },
        { first: 1, last: 1 },
      ],
    };
    for (const _ of ["extracted", "stored"]) {
      const far = await extractText(request(objects, counted, wanted));
      assert.deepEqual(await Array.fromAsync(far.segments(), ({ segment }) => segment.index), [0, 89, 90]);
      assert.deepEqual([far.onlyPages, far.totalChars, handler.parsed], [wanted.pages, null, 4]);
    }
    const near = await extractText(
      request(objects, counted, { enough: ({ segments }) => segments >= 9, pages: [{ first: 9, last: 9 }] }),
    );
    assert.deepEqual([near.onlyPages, near.size.segments], [null, 9], "near pages are added to the stored ones");
  });

  test("keeps what arrived before a crash", async () => {
    const objects = memoryObjects();
    const crashed = await extractText(request(objects, pages(["one", "two"], new Error("boom"))));
    assert.equal(crashed.size.segments, 2);
    assert.match(crashed.ended?.failed?.detail ?? "", /handler failed: boom/);
    const handler = pages(["one", "two", "three"]);
    const extract = await extractText(request(objects, handler));
    assert.deepEqual([extract.size.segments, handler.parsed], [3, 1]);
  });

  test("a handler's own facts are stored, and worded for each answer", async () => {
    const objects = memoryObjects();
    const sheets: Handler<{ readonly formulas: number }> = {
      ...pages(["one"]),
      async *extract() {
        yield { info: { formulas: 3 } };
        const segment = { index: 0, kind: "sheet", label: "sheet 1", text: "1", marks: [] } as const;
        yield { segment, note: { verdict: "read", counts: { formulas: 3 } } };
      },
      fields: { formulas: "number" },
      describe: ({ formulas, tally }, failed) => ({
        fields: { formulas, artifact_ref: "forged", list: [1, 2, 3] },
        warnings: [`${tally?.formulas} formulas, failed: ${failed}.`],
      }),
    };
    for (const _ of ["new", "stored"]) {
      const { description } = await extractText(request(objects, sheets));
      assert.deepEqual(description, { fields: { formulas: 3 }, warnings: ["3 formulas, failed: null."] });
    }
  });

  test("stores that a document cannot be read, and why", async () => {
    const objects = memoryObjects();
    const failed = { reason: "corrupt", detail: "" } as const;
    await extractText(request(objects, pages([], { failed })));
    const handler = pages(["never parsed"]);
    assert.deepEqual((await extractText(request(objects, handler))).ended, { failed });
    assert.equal(handler.parsed, 0);
  });

  test("never stores text opened with a password", async () => {
    const objects = memoryObjects();
    const extract = await extractText(request(objects, pages(["secret"]), { password: "p" }));
    assert.equal((await Array.fromAsync(extract.segments(), ({ text }) => text)).join(""), "secret");
    assert.deepEqual(await keysOf(objects), []);
  });

  test("another owner, mode, version, charset or media type has an extract of its own", async () => {
    const objects = memoryObjects();
    const base = request(objects, pages(["x"]));
    await extractText(base);
    await extractText({ ...base, mode: "raw" });
    await extractText({ ...base, owner: "bob" });
    await extractText({ ...base, handler: { ...pages(["x"]), version: 2 } });
    await extractText({ ...base, facts: { ...base.facts, charset: "utf-8" } });
    await extractText({ ...base, facts: { ...base.facts, media_type: "text/plain" } });
    assert.equal((await keysOf(objects)).length, 6);
  });

  test("answers from memory when the store cannot be written", async () => {
    const full: Objects = {
      ...memoryObjects(),
      put: async () => {
        throw Object.assign(new Error("full"), { code: "ENOSPC" });
      },
    };
    const extract = await extractText(request(full, pages(["one"])));
    assert.deepEqual([extract.size.chars, extract.ended], [3, { failed: null }]);
  });
});
