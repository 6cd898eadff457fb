import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nameSubject, scoreTests } from "./tests-of-files.ts";

const file = (name: string, text = 0) => ({ subject: { name, isTest: false }, text });
const testOf = (name: string, text: number) => ({ subject: { name, isTest: true }, text });

test("a file and its tests have the same subject", () => {
  const subject = nameSubject("src/cache.py", false);
  for (const path of [
    "testing/test_cache.py",
    "src/cache_test.go",
    "src/caches_test.go",
    "src/cache.spec.ts",
    "test/CacheTests.cs",
    "test/CacheTest.java",
    "spec/cache_spec.rb",
    "test/cache-test.js",
  ]) {
    assert.equal(nameSubject(path, true), subject, path);
  }
  assert.equal(nameSubject("lib/rate_limiter.go", false), nameSubject("RateLimitTest.kt", true));
  assert.notEqual(nameSubject("src/latest.ts", true), nameSubject("src/la.ts", false));
});

test("a file gains by its best test, and less if others have the same name", () => {
  const files = [file("cache"), testOf("cache", 0.4), testOf("cache", 0.9), file("queue"), testOf("other", 1)];
  assert.deepEqual(scoreTests(files), [0.9, 0, 0, 0, 0]);
  const shared = scoreTests([file("index"), file("index"), testOf("index", 1)]);
  assert.deepEqual(shared, [1 / (1 + Math.log(2)), 1 / (1 + Math.log(2)), 0]);
});

test("a better match of a test never lowers a file", () => {
  const name = fc.constantFrom("cache", "queue", "lock");
  const any = fc.record({ subject: fc.record({ name, isTest: fc.boolean() }), text: fc.integer({ min: 0, max: 9 }) });
  fc.assert(
    fc.property(fc.array(any, { minLength: 1, maxLength: 12 }), fc.nat(), (files, pick) => {
      const raised = files.map((each, index) =>
        index === pick % files.length ? { ...each, text: each.text + 1 } : each,
      );
      const [before, after] = [scoreTests(files), scoreTests(raised)];
      assert.ok(after.every((score, index) => score >= (before[index] ?? 0)));
    }),
  );
});
