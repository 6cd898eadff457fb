import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { measureLines } from "./chunk.ts";
import { type FileRole, fileRoles, findFileRoles, findImportLines } from "./file-roles.ts";

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
  ["Sources/OpenAPISpec/Gate.swift", null],
  ["src/ABTest/gate.ts", null],
  ["src/androidUnitTest/kotlin/Gate.kt", "test"],
  ["ml/regression/gate.py", null],
  ["bin/install", null],
  ["Tests/GateTests/Gate.swift", "test"],
  ["testing/gate.py", "test"],
];

describe("the role of a file", () => {
  for (const [path, role] of cases) {
    test(`${path}: ${role ?? "none"}`, () => {
      assert.equal(findFileRoles(path, "int open;\n", true), role === null ? 0 : fileRoles[role]);
    });
  }
});

const importsOf = (text: string) => findImportLines(text, measureLines(text));

for (const line of [
  'import { open } from "./gate.ts";',
  "from gates import lock",
  "import gates.lock as lock",
  "use crate::gates::Lock;",
  "pub(crate) use gates::Lock;",
  "use App\\Gates\\Lock;",
  "using System.Text;",
  "#include <gates.h>",
  '@import "gates";',
  "require 'gates'",
  "package gates",
  "alias Gates.Lock",
  'export * from "./gate.ts";',
  'const gate = require("./gate");',
  "import Gates",
  "import gates.*;",
  "import static gates.Lock.open;",
  "import qualified Gates.Lock as Lock",
  "import gates.{Lock, open}",
  'import "gates/lock"',
  "use strict;",
  "use Gates.Lock",
]) {
  test(`imports something: ${line}`, () => assert.deepEqual(importsOf(`${line}\nopen();\n`), [true, false]));
}

for (const line of [
  "using (var gate = Open()) {",
  'return import("./gate.ts").then(open);',
  "important = 1",
  "export function open() {",
  "useGate(gate);",
  "include = [gate]",
  "from the gate to the lock",
  "use the gate option (one that",
  "import the table of the gate first",
  "include the gate (and its lock",
  "package the gate with care",
  "require(level > 0) {",
  "include(Gate) {",
]) {
  test(`imports nothing: ${line}`, () => assert.deepEqual(importsOf(`${line}\n`), [false]));
}

test("the lines inside the brackets of an import are part of it", () => {
  assert.deepEqual(importsOf('import {\n  open,\n  close,\n} from "./gate.ts";\nopen();\n'), [
    true,
    true,
    true,
    true,
    false,
  ]);
  assert.deepEqual(importsOf('import (\n\t"gates/lock"\n)\nfunc open() {\n'), [true, true, true, false]);
  assert.deepEqual(importsOf("from gates import (\n    lock,\n)\nlock()\n"), [true, true, true, false]);
});
