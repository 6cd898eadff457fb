/** Generated configs of clients: values, and layouts in which each format writes them. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { stringify } from "yaml";

/** A config as text in a format. */
export function writeSampleConfig(format: string, value: object, layout: Layout): string {
  return (writers[format] ?? assert.fail(format))(value, layout);
}

const keys = fc.stringMatching(/^[A-Za-z][A-Za-z0-9 ._-]{0,8}$/);
const scalars = fc.oneof(fc.string({ maxLength: 12 }), fc.integer(), fc.boolean());
const maps = fc.dictionary(
  keys,
  fc.oneof(scalars, fc.array(scalars, { maxLength: 3 }), fc.dictionary(keys, scalars, { maxKeys: 3 })),
  { maxKeys: 4 },
);
const servers = fc.option(
  fc.dictionary(
    keys.filter((key) => key !== "spillway"),
    maps,
    { maxKeys: 3 },
  ),
  { nil: undefined },
);

/** A config: some values, and perhaps servers between them. */
export const configs = fc.tuple(maps, servers, maps).map(([before, some, after]) => {
  const { servers: _one, ...head } = before;
  const { servers: _other, ...tail } = after;
  return { ...head, ...(some && { servers: some }), ...tail };
});

export const layouts = fc.record({
  eol: fc.constantFrom("\n", "\r\n"),
  indent: fc.constantFrom(0, 1, 2, 4, "\t"),
  comments: fc.boolean(),
});
export type Layout = { eol: string; indent: number | string; comments: boolean };

const writers: Record<string, (value: object, layout: Layout) => string> = {
  JSON: (value, { eol, indent, comments }) => {
    const text = JSON.stringify(value, null, indent);
    const commented = comments && indent !== 0 ? text.replaceAll(/(?<=[{,])$/gm, " // why") : text;
    return `${comments ? "/* top */\n" : ""}${commented}\n`.replaceAll("\n", eol);
  },
  TOML: (value, { eol, comments }) => {
    const text = writeTable([], value);
    return (comments ? text.replaceAll(/^\[.*$/gm, "# why\n$& # what") : text).replaceAll("\n", eol);
  },
  YAML: (value, { eol, indent, comments }) => {
    const text = stringify(value, { lineWidth: 0, indent: typeof indent === "number" && indent > 0 ? indent : 2 });
    return (comments ? `# top\n${text}# end\n` : text).replaceAll("\n", eol);
  },
};

function writeTable(path: readonly string[], value: object): string {
  const isTable = (field: unknown): field is object => typeof field === "object" && !Array.isArray(field);
  const fields = Object.entries(value);
  const lines = fields
    .filter(([, field]) => !isTable(field))
    .map(([key, field]) => `${JSON.stringify(key)} = ${JSON.stringify(field)}\n`);
  const tables = fields.map(([key, field]) =>
    isTable(field) ? writeTable([...path, JSON.stringify(key)], field) : "",
  );
  return `${path.length === 0 ? "" : `[${path.join(".")}]\n`}${lines.join("")}${tables.join("")}`;
}
