import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { chunkText } from "../index/chunk.ts";
import { createView, findPart, type IndexView, joinViews } from "../index/index-view.ts";
import { createSegmentBuilder } from "../index/segments/build-segment.ts";
import { openSegment } from "../index/segments/index-segment.ts";
import { parseQuery } from "./query.ts";
import { rankFiles } from "./rank.ts";
import { sliceView } from "./slice.ts";

type SourceFile = { readonly path: string; readonly text: string };

function buildSegment(files: readonly SourceFile[]) {
  const builder = createSegmentBuilder();
  for (const [index, { path, text }] of files.entries()) {
    builder.add({ id: index + 1, path, text, chunks: chunkText(text) });
  }
  return openSegment(builder.finish()) ?? assert.fail("no segment");
}

const words = ["gauge", "gauges", "spill", "spillway", "level", "config", "cfg", "readLevel", "weir", "levels"];
const anyName = fc.constantFrom(...words);
const anyLine = fc
  .array(anyName, { minLength: 1, maxLength: 6 })
  .map((names) => `  ${names.join("(")}${")".repeat(names.length - 1)};`);
const anyText = fc
  .tuple(anyName, fc.array(anyLine, { minLength: 1, maxLength: 80 }))
  .map(([name, lines]) => `function ${name}(value) {\n${lines.join("\n")}\n}\n`);
const anyFiles = fc
  .array(fc.tuple(anyName, anyName, anyText), { minLength: 1, maxLength: 24 })
  .map((rows) => rows.map(([folder, name, text], index) => ({ path: `${folder}/${name}${index}.ts`, text })));
const anyQuery = fc
  .array(fc.oneof(anyName, fc.constantFrom("test", "nothing", "weir/gauge0.ts:3", "how")), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join(" "));

function rank(view: IndexView, query: string, near: ReadonlyMap<number, number> | null = null) {
  return rankFiles(view, parseQuery(query), { limit: 50, meaning: near }).map(({ file, score, chunks, parts }) => {
    const { segment, firstFile, firstChunk } = findPart(view, file);
    const first = firstChunk + (segment.fileFirstChunk[file - firstFile] ?? 0);
    const indexes = chunks.map(({ chunk, score: points }) => `${chunk - first} ${points.toFixed(6)}`);
    const values = Object.values(parts).map((value) => value?.toFixed(9));
    return { path: segment.path(file - firstFile), score: score.toFixed(9), chunks: indexes, parts: values };
  });
}

describe("a slice", () => {
  test("item 8: slices of several indexes rank like one index of all their files", () => {
    fc.assert(
      fc.property(anyFiles, anyQuery, fc.integer({ min: 1, max: 6 }), (files, query, count) => {
        const whole = createView([buildSegment(files)], null);
        const shares = Array.from({ length: count }, (_, share) =>
          files.filter((_file, index) => index % count === share),
        );
        const slices = shares
          .filter((share) => share.length > 0)
          .map((share) => sliceView(createView([buildSegment(share)], null), parseQuery(query)).view);
        assert.deepEqual(rank(joinViews(slices), query), rank(whole, query));
      }),
    );
  });

  test("ranks like its view where some files are deleted and some chunks are near in meaning", () => {
    fc.assert(
      fc.property(anyFiles, anyQuery, fc.infiniteStream(fc.nat({ max: 5 })), (files, query, numbers) => {
        const live = files.flatMap((_, index) => ((numbers.next().value ?? 0) > 0 ? [index + 1] : []));
        const view = createView([buildSegment(files.slice(0, 5)), buildSegment(files)], live);
        const near = new Map<number, number>();
        for (let chunk = 0; chunk < view.chunkCount; chunk += 1 + (numbers.next().value ?? 0))
          near.set(chunk, 1 / (chunk + 1));
        const slice = sliceView(view, parseQuery(query), near.keys());
        const moved = [...near].flatMap(([chunk, share]): [number, number][] => {
          const number = slice.chunkOf(chunk);
          return number === undefined ? [] : [[number, share]];
        });
        const liveNear = new Map([...near].filter(([chunk]) => slice.chunkOf(chunk) !== undefined));
        assert.deepEqual(rank(slice.view, query, new Map(moved)), rank(view, query, liveNear));
      }),
    );
  });

  test("is small where few files match", () => {
    const files = Array.from({ length: 200 }, (_, index) => ({
      path: `f${index}.ts`,
      text: `const value${index} = 1;\n`,
    }));
    const view = createView([buildSegment(files)], null);
    const slice = sliceView(view, parseQuery("value7"));
    assert.ok(slice.view.fileCount <= files.length);
    assert.deepEqual(rank(slice.view, "value7"), rank(view, "value7"));
    assert.equal(sliceView(view, parseQuery("nothing")).view.fileCount, 0);
    assert.deepEqual([...slice.pick(new Uint8Array(view.fileCount).fill(1))].length, slice.view.fileCount);
  });
});
