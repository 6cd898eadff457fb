import assert from "node:assert/strict";
import { test } from "node:test";
import { FIELDS_CHARS, measurePlainSize } from "../fit/serialized-size.ts";
import { clipFields } from "./clip-fields.ts";

test("fields beside the content stay small, whatever the source is called", () => {
  const long = "🌊".repeat(5_000);
  const names = { title: long, author: long, date: long, site: long, language: long, url: long, source_url: long };
  const fields = clipFields({
    content: long,
    warnings: [long, "second"],
    ...{ ...names, artifact_path: long, count: 7 },
  });
  assert.deepEqual([fields.content, fields.count, fields.artifact_path], [long, 7, null]);
  assert.ok(measurePlainSize({ ...fields, content: null }) < FIELDS_CHARS - 1_000);
  assert.ok(JSON.stringify(fields).isWellFormed());
  assert.equal(Object.keys(fields).at(-1), "content");
});

test("a path is complete or left out", () => {
  const path = `/store/${"deep/".repeat(80)}blob`;
  assert.equal(clipFields({ content: null, warnings: [], ...{ artifact_path: path } }).artifact_path, path);
});
