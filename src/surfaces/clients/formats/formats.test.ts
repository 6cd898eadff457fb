/** Editing of config files: only the named place changes, whatever the layout around it is. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { configs, layouts, writeSampleConfig } from "../../../../test/client-configs.ts";
import { soakCount } from "../../../../test/soak.ts";
import { SpillwayError } from "../../../errors.ts";
import { parseConfig, removeValue, setValue, valueAt } from "../edit-config.ts";
import type { ConfigFormat, ConfigPath } from "./config-format.ts";
import { jsonFormat } from "./json-format.ts";
import { tomlFormat } from "./toml-format.ts";
import { yamlFormat } from "./yaml-format.ts";

const entry = { command: "spillway", args: ["mcp"] };
const set = (format: ConfigFormat, text: string, path: ConfigPath = ["servers", "spillway"], value = entry) =>
  setValue({ text, format, path: "config" }, path, value);
const remove = (format: ConfigFormat, text: string, path: ConfigPath = ["servers", "spillway"]) =>
  removeValue({ text, format, path: "config" }, path);

type Example = readonly [name: string, before: string, after: string];

function runExamples(format: ConfigFormat, examples: readonly Example[], path: ConfigPath = ["servers", "spillway"]) {
  for (const [name, before, after] of examples) {
    test(name, () => {
      assert.equal(set(format, before, path), after);
      const hadServers = valueAt(format.parse(before), ["servers"]) !== undefined;
      const removed = remove(format, after, hadServers ? path : ["servers"]);
      assert.deepEqual(parseConfig({ text: removed, format, path: "" }), format.parse(before));
    });
  }
}

describe("an entry is added to JSON", () => {
  const spillway = '"spillway": {\n      "command": "spillway",\n      "args": ["mcp"]\n    }';
  runExamples(jsonFormat, [
    ["that is empty", "", `{\n  "servers": {\n    ${spillway}\n  }\n}\n`],
    ["that is an empty object", "{}", `{\n  "servers": {\n    ${spillway}\n  }\n}`],
    [
      "after another server",
      '{\n  "servers": {\n    "a": 1\n  }\n}\n',
      `{\n  "servers": {\n    "a": 1,\n    ${spillway}\n  }\n}\n`,
    ],
    [
      "behind a trailing comma and a comment",
      '{\n  "servers": {\n    "a": 1, // one\n  },\n}\n',
      `{\n  "servers": {\n    "a": 1, // one\n    ${spillway},\n  },\n}\n`,
    ],
    [
      "behind a comment without a comma",
      '{\n  "servers": {\n    "a": 1 /* one */ // more\n  }\n}\n',
      `{\n  "servers": {\n    "a": 1, /* one */ // more\n    ${spillway}\n  }\n}\n`,
    ],
    [
      "that is on one line",
      '{ "servers": { "a": 1 } }',
      '{ "servers": { "a": 1, "spillway": { "command": "spillway", "args": ["mcp"] } } }',
    ],
    [
      "with tabs and Windows line ends",
      '{\r\n\t"x": 1\r\n}\r\n',
      '{\r\n\t"x": 1,\r\n\t"servers": {\r\n\t\t"spillway": {\r\n\t\t\t"command": "spillway",\r\n\t\t\t"args": ["mcp"]\r\n\t\t}\r\n\t}\r\n}\r\n',
    ],
  ]);

  test("of equal keys the last one is changed, which is the one that counts", () => {
    const text = set(jsonFormat, '{"servers": {"b": 1}, "servers": {"a": 1}}');
    assert.deepEqual(jsonFormat.parse(text), { servers: { a: 1, spillway: entry } });
  });

  test("text without an object is refused with its place", () => {
    assert.throws(
      () => set(jsonFormat, '{\n  "a": 1\n  "b": 2\n}'),
      (error: unknown) =>
        error instanceof SpillwayError &&
        error.code === "client_config" &&
        /^config is malformed: a comma is expected at line 3, column 3\.$/.test(error.message),
    );
    assert.throws(() => set(jsonFormat, "[]"), /config is malformed: its value is not an object/);
    assert.throws(() => set(jsonFormat, '{"servers": 5}'), /config cannot be changed safely: a map is expected/);
  });
});

describe("an entry is added to TOML", () => {
  const table = '[servers.spillway]\ncommand = "spillway"\nargs = ["mcp"]\n';
  runExamples(tomlFormat, [
    ["that is empty", "", table],
    ["that ends within a line", "a = 1", `a = 1\n\n${table}`],
    [
      "after comments",
      "# mine\n[servers.a] # one\nx = 1 # two\n",
      `# mine\n[servers.a] # one\nx = 1 # two\n\n${table}`,
    ],
    ["after a list of tables", "[[rules]]\nx = 1\n", `[[rules]]\nx = 1\n\n${table}`],
    ["with Windows line ends", "a = 1\r\n", `a = 1\r\n\r\n${table.replaceAll("\n", "\r\n")}`],
    [
      "in an inline table",
      "servers = { a = { x = 1 } }\n",
      'servers = { a = { x = 1 }, spillway = { command = "spillway", args = ["mcp"] } }\n',
    ],
    ["beside dotted keys", "servers.a.x = 1\n", `servers.a.x = 1\n\n${table}`],
  ]);

  test("a value of a table is replaced, added and removed in place", () => {
    const text = "[servers.a] # first\ncommand = 'x' # old\nargs = [\n  'y', # why\n]\n\n# next\n[servers.b]\nx = 1\n";
    const changed = setValue({ text, format: tomlFormat, path: "" }, ["servers", "a", "command"], "node");
    assert.equal(changed, text.replace("'x'", "'node'"));
    const added = setValue({ text, format: tomlFormat, path: "" }, ["servers", "a", "env"], { A: "1" });
    assert.deepEqual(valueAt(tomlFormat.parse(added), ["servers", "a", "env"]), { A: "1" });
    assert.match(added, /# next\n\[servers\.b\]\nx = 1/);
    assert.equal(remove(tomlFormat, text, ["servers", "a"]), "# next\n[servers.b]\nx = 1\n".replace(/^/, "\n"));
    assert.equal(remove(tomlFormat, text, ["servers", "a", "command"]), text.replace("command = 'x' # old\n", ""));
  });

  test("a malformed text is refused with its place", () => {
    assert.throws(() => set(tomlFormat, "a = 1\nb =\n"), /config is malformed: .* at line \d, column \d+\.$/);
    assert.throws(() => set(tomlFormat, "servers = 5\n"), /cannot be changed safely/);
  });
});

describe("an entry is added to YAML", () => {
  const lines = (indent: string) =>
    `${indent}spillway:\n${indent}  command: spillway\n${indent}  args:\n${indent}    - mcp\n`;
  runExamples(yamlFormat, [
    ["that is empty", "", `servers:\n${lines("  ")}`],
    ["with comments only", "# mine\n", `# mine\nservers:\n${lines("  ")}`],
    ["after another server", "servers:\n    a: 1 # one\nz: 2\n", `servers:\n    a: 1 # one\n${lines("    ")}z: 2\n`],
    [
      "after a block of text",
      "servers:\n  a: |\n    x\n    y\nz: 2\n",
      `servers:\n  a: |\n    x\n    y\n${lines("  ")}z: 2\n`,
    ],
    ["that ends within a line", "servers:\n  a: 1", `servers:\n  a: 1\n${lines("  ").trimEnd()}`],
    [
      "in flow style",
      "servers: {a: 1}\n",
      'servers: {a: 1, "spillway": { "command": "spillway", "args": ["mcp"] } }\n',
    ],
  ]);

  test("a key without a value gets the first entry", () => {
    assert.equal(set(yamlFormat, "servers: # none\nz: 2\n"), `servers: # none\n${lines("  ")}z: 2\n`);
    assert.equal(set(yamlFormat, "servers: ~\nz: 2\n"), `servers: \n${lines("  ")}z: 2\n`);
  });

  test("a list gets an item, finds it by its name and loses it again", () => {
    const path = ["servers", { named: "spillway" }];
    const named = { name: "spillway", ...entry };
    for (const text of ["servers:\n- name: a\n  x: 1\n# end\n", "servers:\n  - name: a\n    x: 1\n", "a: 1\n"]) {
      const added = setValue({ text, format: yamlFormat, path: "" }, path, named);
      assert.deepEqual(valueAt(yamlFormat.parse(added), path), named);
      assert.deepEqual(remove(yamlFormat, added, text.startsWith("a") ? ["servers"] : path), text);
    }
  });

  test("values are replaced in place, comments after a removed entry stay", () => {
    const text = "servers:\n  a:\n    cmd: x # old\n    args:\n    - y\n  # about b\n  b: 1\n";
    const config = { text, format: yamlFormat, path: "" };
    assert.equal(setValue(config, ["servers", "a", "cmd"], "node"), text.replace("x #", "node #"));
    assert.equal(setValue(config, ["servers", "a", "args"], ["p", "q"]), text.replace("- y", "- p\n    - q"));
    assert.equal(removeValue(config, ["servers", "a"]), "servers:\n  # about b\n  b: 1\n");
  });

  test("what cannot be read as one map is refused", () => {
    assert.throws(() => set(yamlFormat, "a: [1\n"), /config is malformed: .* at line \d, column \d/);
    assert.throws(() => set(yamlFormat, "- a\n"), /its value is not a map/);
    assert.throws(() => set(yamlFormat, "a: 1\n---\nb: 2\n"), /malformed: .*documents/);
  });
});

describe("a list that gets words at its front and loses them again has its old bytes", () => {
  const words = ["gateway", "--", "it's"];
  const lists = [
    ["JSON on one line", jsonFormat, '{ "a": { "args": ["-y", "x"] } }'],
    ["JSON that is empty", jsonFormat, '{ "a": { "args": [ /* none */ ] } }'],
    [
      "JSON with comments",
      jsonFormat,
      '{\r\n  "a": {\r\n    "args": [\r\n      // first, why\r\n      "-y", // yes, really\r\n      /* x */ "x",\r\n    ]\r\n  }\r\n}\r\n',
    ],
    ["TOML on one line", tomlFormat, "[a]\nargs = [ '-y', \"x\" ] # why\n"],
    ["TOML with comments", tomlFormat, "[a]\nargs = [\n  # first, why\n  '-y', # yes, really\n  'x',\n]\n"],
    ["YAML with dashes", yamlFormat, "a:\n  args: # all\n    # first, why\n    - -y # yes\n    - 'x'\nb: 1\n"],
    ["YAML with dashes at the key's column", yamlFormat, "a:\n  args:\n  - -y\n  - x"],
    ["YAML in brackets", yamlFormat, "a: {args: ['-y', # yes, really\n  x]}\n"],
    ["YAML that is empty", yamlFormat, "a:\n  args: []\n"],
  ] as const;
  for (const [name, format, text] of lists)
    test(name, () => {
      const path = ["a", "args"];
      const args = valueAt(format.parse(text), path) as string[];
      const longer = setValue({ text, format, path: "" }, path, [...words, ...args]);
      assert.deepEqual(valueAt(format.parse(longer), path), [...words, ...args]);
      for (const comment of text.match(/#[^\n]*|\/\/[^\n]*|\/\*.*?\*\//g) ?? [])
        assert.ok(longer.includes(comment), longer);
      assert.equal(setValue({ text: longer, format, path: "" }, path, args), text);
    });

  test("a comment that was put between the words stays", () => {
    const text = '{"args": [\n  "gateway", // mine, too\n  "--", "x"\n]}';
    const shorter = setValue({ text, format: jsonFormat, path: "" }, ["args"], ["x"]);
    assert.equal(shorter, '{"args": [\n   // mine, too\n  "x"\n]}');
  });
});

for (const [name, format] of Object.entries({ JSON: jsonFormat, TOML: tomlFormat, YAML: yamlFormat })) {
  const options = { numRuns: soakCount({ sample: 60, full: 5_000 }) };

  test(`${name}: an added entry is there, and every other value is equal`, () => {
    fc.assert(
      fc.property(configs, layouts, (config, layout) => {
        const text = writeSampleConfig(name, config, layout);
        const before = format.parse(text);
        const after = format.parse(set(format, text));
        assert.deepEqual(valueAt(after, ["servers", "spillway"]), entry);
        const others = { ...(valueAt(after, ["servers"]) as object), spillway: undefined };
        assert.ok(
          isDeepStrictEqual({ ...others }, { ...(valueAt(before, ["servers"]) as object), spillway: undefined }),
        );
      }),
      options,
    );
  });

  test(`${name}: adding and removing an entry gives the same value, and the same bytes beside other servers`, () => {
    fc.assert(
      fc.property(configs, layouts, (config, layout) => {
        const text = writeSampleConfig(name, config, layout);
        const hasServers = Object.keys((config.servers as object | undefined) ?? {}).length > 0;
        const restored = remove(format, set(format, text), hasServers ? undefined : ["servers"]);
        if (hasServers) assert.equal(restored, text);
        else assert.deepEqual(valueAt(format.parse(restored), ["servers"]), undefined);
      }),
      options,
    );
  });
}
