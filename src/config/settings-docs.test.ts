import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ValueRow } from "./rows/setting-row.ts";
import { formatValue, parseValue, writtenForms } from "./setting-values.ts";
import { environmentName, rowOf, settingNames } from "./settings.ts";
import { type ConfigSchema, settingsHelp, settingsMarkdown, settingsSchema } from "./settings-docs.ts";

test("the schema knows every setting in its nested and its dotted form, and nothing else", () => {
  const { properties, $defs, additionalProperties } = settingsSchema() as Record<string, ConfigSchema>;
  assert.equal(additionalProperties, false);
  assert.deepEqual(Object.keys($defs ?? {}), [...settingNames]);
  for (const name of settingNames) {
    assert.deepEqual(properties?.[name], { $ref: `#/$defs/${name}` });
    const [group = "", key = ""] = name.split(".");
    if (key === "") continue;
    const nested = properties?.[group] as { properties: ConfigSchema; additionalProperties: boolean };
    assert.deepEqual(nested.properties[key], { $ref: `#/$defs/${name}` });
    assert.equal(nested.additionalProperties, false);
  }
});

test("each row's schema has its description, its default and its range", () => {
  const { $defs } = settingsSchema() as { $defs: Record<string, ConfigSchema> };
  for (const name of settingNames) {
    const row = rowOf(name);
    const schema = $defs[name];
    assert.ok(String(schema?.description).startsWith(row.about), name);
    assert.ok(schema !== undefined && "default" in schema, name);
    if (row.type === "integer" || row.type === "bytes") {
      assert.equal(schema.minimum, row.min, name);
      assert.equal(schema.maximum, row.ceiling, name);
    }
    if (typeof schema.default === "string" && typeof schema.pattern === "string") {
      assert.match(schema.default, new RegExp(schema.pattern), name);
    }
  }
});

const base = { folder: "/", home: "/home/ada", platform: "linux" } as const;
const unit = fc.constantFrom(
  "",
  " ",
  "B",
  "KB",
  "kib",
  "MiB",
  " GB",
  "T",
  "ms",
  "s",
  "m",
  "h",
  "d",
  "w",
  "M",
  ".5h",
  "_0",
);
const writtenNumber = fc
  .array(fc.tuple(fc.nat(2_000), unit), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.flat().join(""));

for (const type of ["integer", "bytes", "duration"] as const) {
  test(`the schema's pattern and the parser agree on what is written like a ${type}`, () => {
    const row: ValueRow = { type, default: 0, about: "" };
    fc.assert(
      fc.property(writtenNumber, (text) => {
        const parsed = parseValue(row, text, base);
        const outOfRange = !parsed.ok && parsed.fault.startsWith("must be at ");
        assert.equal(new RegExp(writtenForms[type]).test(text.trim()), parsed.ok || outOfRange);
      }),
    );
  });
}

test("the Markdown has a line for every setting with its variable and its default", () => {
  const lines = settingsMarkdown().split("\n");
  for (const name of settingNames) {
    const row = rowOf(name);
    const line = lines.find((text) => text.startsWith(`| \`${name}\` |`)) ?? "";
    assert.ok(line.includes(environmentName(name)) && line.includes(row.about), name);
    if (typeof row.default === "number") assert.ok(line.includes(`| ${formatValue(row.type, row.default)} |`), name);
    assert.ok(line.includes(`| ${row.scope} |`), name);
  }
});

test("help names every setting, with its description below", () => {
  const lines = settingsHelp();
  for (const name of settingNames) {
    const at = lines.indexOf(`${name} (${environmentName(name)})`);
    assert.ok(lines[at + 1]?.startsWith(`  ${rowOf(name).about}`), name);
  }
});
