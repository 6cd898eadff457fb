import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type FileRole, fileRoles, findFileRoles } from "./file-roles.ts";

const cases: readonly (readonly [path: string, role: FileRole | null])[] = [
  ["src/gate.c", null],
  ["gate.1", "prose"],
  ["docs.5/gate.conf.5", "prose"],
  ["CHANGES", "prose"],
  ["lib/README", "prose"],
  ["src/history.c", null],
  ["src/news/feed.go", null],
  ["libgate.so.1.c", null],
  ["regress/gate.sh", "test"],
  ["src/test/regress/sql/gate.sql", "test"],
  ["Gate.Tests/OpenGate.cs", "test"],
  ["src/commonTest/kotlin/Gate.kt", "test"],
  ["Sources/Contest/Gate.swift", null],
  ["testing/gate.py", "test"],
];

describe("the role of a file", () => {
  for (const [path, role] of cases) {
    test(`${path}: ${role ?? "none"}`, () => {
      assert.equal(findFileRoles(path, "int open;\n", true), role === null ? 0 : fileRoles[role]);
    });
  }
});
