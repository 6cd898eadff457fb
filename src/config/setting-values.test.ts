import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { SettingType, ValueRow } from "./rows/setting-row.ts";
import {
  formatRange,
  formatValue,
  type PathBase,
  parseValue,
  type SettingValue,
  valueFromText,
} from "./setting-values.ts";
import { rowOf, settingNames } from "./settings.ts";

const base: PathBase = { folder: "/work/project", home: "/home/ada", platform: "linux" };
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const rows: Readonly<Record<SettingType, ValueRow>> = {
  text: { type: "text", default: null, about: "" },
  path: { type: "path", default: null, about: "" },
  integer: { type: "integer", default: 0, min: -10, ceiling: 10_000_000, about: "" },
  bytes: { type: "bytes", default: 0, min: 0, ceiling: 1024 ** 5, about: "" },
  duration: { type: "duration", default: 0, min: 0, about: "" },
  choice: { type: "choice", default: "on", choices: ["on", "shadow", "off"], about: "" },
  list: { type: "list", default: [], about: "" },
  headers: { type: "headers", default: {}, about: "" },
};
const address: ValueRow = { ...rows.text, isWebAddress: true };
const placeList: ValueRow = { ...rows.list, items: "place" };
const pathList: ValueRow = { ...rows.list, items: "path" };

function read(row: ValueRow, written: unknown): SettingValue {
  const parsed = parseValue(row, written, base);
  assert.ok(parsed.ok, parsed.ok ? "" : parsed.fault);
  return parsed.value;
}

function faultOf(row: ValueRow, written: unknown): string {
  const parsed = parseValue(row, written, base);
  assert.ok(!parsed.ok, `${JSON.stringify(written)} was accepted`);
  assert.notEqual(parsed.hint, "");
  return parsed.fault;
}

const accepted: readonly [row: ValueRow, written: unknown, value: SettingValue][] = [
  [rows.text, "  nightly ", "nightly"],
  [rows.text, null, null],
  [address, " http://127.0.0.1:4318 ", "http://127.0.0.1:4318"],
  [address, "HTTPS://ann:word@collector.example/otlp", "HTTPS://ann:word@collector.example/otlp"],
  [address, null, null],
  [rows.path, null, null],
  [rows.path, "/srv/data/", "/srv/data"],
  [rows.path, "data/../store", "/work/project/store"],
  [rows.path, "~", "/home/ada"],
  [rows.path, "~/store", "/home/ada/store"],
  [rows.path, "~//store", "/home/ada/store"],
  [rows.path, "./~odd", "/work/project/~odd"],
  [rows.integer, 30_000, 30_000],
  [rows.integer, "30000", 30_000],
  [rows.integer, "30_000", 30_000],
  [rows.integer, "1,000,000", 1_000_000],
  [rows.integer, " -5 ", -5],
  [rows.bytes, 1_048_576, 1_048_576],
  [rows.bytes, "1048576", 1_048_576],
  [rows.bytes, "12 B", 12],
  [rows.bytes, "64 MiB", 64 * 1024 ** 2],
  [rows.bytes, "64mib", 64 * 1024 ** 2],
  [rows.bytes, "2GB", 2_000_000_000],
  [rows.bytes, "2 kb", 2_000],
  [rows.bytes, "1.5 GiB", 1.5 * 1024 ** 3],
  [rows.bytes, "1.3 KiB", 1_331],
  [rows.bytes, "1,024 KiB", 1024 ** 2],
  [rows.bytes, "1 TiB", 1024 ** 4],
  [rows.bytes, "0", 0],
  [rows.duration, 0, 0],
  [rows.duration, "0", 0],
  [rows.duration, "500ms", 500],
  [rows.duration, "30s", 30 * second],
  [rows.duration, "1h30m", 90 * minute],
  [rows.duration, "1h 30 m", 90 * minute],
  [rows.duration, "1.5h", 90 * minute],
  [rows.duration, "14d", 14 * day],
  [rows.duration, "2w", 14 * day],
  [rows.duration, "1m1ms", minute + 1],
  [rows.choice, "shadow", "shadow"],
  [rows.choice, "OFF", "off"],
  [rows.choice, true, "on"],
  [rows.choice, "true", "on"],
  [rows.choice, false, "off"],
  [rows.choice, "false", "off"],
  [rows.list, [], []],
  [rows.list, ["one", " two "], ["one", "two"]],
  [pathList, ["~/notes", "docs"], ["/home/ada/notes", "/work/project/docs"]],
];

for (const [row, written, value] of accepted) {
  test(`${row.type} ${JSON.stringify(written)} is read as ${JSON.stringify(value)}`, () => {
    assert.deepEqual(read(row, written), value);
  });
}

const refused: readonly [row: ValueRow, written: unknown, fault: RegExp][] = [
  [rows.text, "  ", /must not be empty/],
  [rows.text, 5, /must be text, not 5/],
  [rows.text, "a\u0000b", /control characters/],
  [address, "localhost:4318", /must be an address of http or https\.$/],
  [address, "127.0.0.1:4318", /must be an address of http or https\.$/],
  [address, "grpc://ann:word@collector.example", /must be an address of http or https\.$/],
  [address, "http://", /must be an address of http or https\.$/],
  [address, "", /must not be empty/],
  [{ ...rows.text, default: "x" }, null, /must be text, not null/],
  [rows.path, "", /must not be empty/],
  [rows.path, "~bob/store", /another user's home, "~bob"/],
  [rows.path, ["a"], /must be text, not a list/],
  [rows.integer, 1.5, /must be a whole number, not 1\.5/],
  [rows.integer, "", /must be a whole number/],
  [rows.integer, "30,00", /must be a whole number/],
  [rows.integer, "1__0", /must be a whole number/],
  [rows.integer, "1e6", /must be a whole number, not "1e6"/],
  [rows.integer, "0x10", /must be a whole number/],
  [rows.integer, true, /must be a whole number, not true/],
  [rows.integer, null, /must be a whole number, not null/],
  [rows.integer, { toString: 1 }, /must be a whole number, not an object/],
  [rows.integer, Number.POSITIVE_INFINITY, /must be a whole number/],
  [rows.integer, "9".repeat(500), /must be a whole number/],
  [rows.integer, -11, /must be at least -10, not -11/],
  [rows.integer, "10_000_001", /must be at most 10,000,000, not "10_000_001"/],
  [rows.bytes, "64 M", /must be a size/],
  [rows.bytes, "64 Mibit", /must be a size/],
  [rows.bytes, "1.5", /must be a size/],
  [rows.bytes, 1.5, /must be a size/],
  [rows.bytes, "-1 KiB", /must be a size/],
  [rows.bytes, -1, /must be at least 0 B, not -1/],
  [rows.bytes, "2000 TiB", /must be at most 1024 TiB, not "2000 TiB"/],
  [rows.duration, 14, /needs a unit of time after 14/],
  [rows.duration, "14", /needs a unit of time after "14"/],
  [rows.duration, "14 days", /must be a duration/],
  [rows.duration, "1M", /must be a duration/],
  [rows.duration, "-1d", /must be a duration/],
  [rows.duration, "1h30", /must be a duration/],
  [rows.duration, `${"9".repeat(400)}d`, /must be at most/],
  [{ ...rows.duration, min: minute }, 0, /must be at least 1m, not 0/],
  [{ ...rows.duration, ceiling: day }, "25h", /must be at most 1d, not "25h"/],
  [rows.choice, "maybe", /must be one of on, shadow, off, not "maybe"/],
  [rows.choice, 0, /must be one of on, shadow, off, not 0/],
  [rows.choice, 1, /must be one of/],
  [{ ...rows.choice, choices: ["fast", "slow"] }, true, /must be one of fast, slow, not true/],
  [rows.list, "one", /must be a list, not "one"/],
  [rows.list, ["one", 2], /has a wrong item 2, which must be text, not 2/],
  [rows.list, [""], /has a wrong item 1, which must not be empty/],
  [rows.list, [null], /has a wrong item 1/],
  [pathList, ["~bob"], /has a wrong item 1, which names another user's home/],
];

for (const [row, written, fault] of refused) {
  test(`${row.type} ${JSON.stringify(written)?.slice(0, 40)} is refused`, () => {
    assert.match(faultOf(row, written), fault);
  });
}

test("a path that begins with ~ is refused where the user has no home", () => {
  const parsed = parseValue(rows.path, "~/x", { ...base, home: undefined });
  assert.equal(parsed.ok, false);
});

test("Windows paths are resolved by the rules of Windows", () => {
  const windows: PathBase = { folder: "C:\\work", home: "C:\\Users\\ada", platform: "win32" };
  assert.deepEqual(parseValue(rows.path, "~\\store", windows), { ok: true, value: "C:\\Users\\ada\\store" });
  assert.deepEqual(parseValue(rows.path, "~/store", windows), { ok: true, value: "C:\\Users\\ada\\store" });
  assert.deepEqual(parseValue(rows.path, "store", windows), { ok: true, value: "C:\\work\\store" });
});

const listTexts: readonly [text: string, value: readonly string[]][] = [
  ["one,two", ["one", "two"]],
  [" one , two ,", ["one", "two"]],
  ["", []],
  ["[]", []],
  ['["one,two", "three"]', ["one,two", "three"]],
];

for (const [text, value] of listTexts) {
  test(`the list ${JSON.stringify(text)} of a variable holds ${value.length} items`, () => {
    assert.deepEqual(read(rows.list, valueFromText(rows.list, text)), value);
  });
}

test("a text that begins like a JSON list but is not one is refused", () => {
  assert.match(faultOf(rows.list, valueFromText(rows.list, "[one")), /must be a list, not "\[one"/);
});

const formatted: readonly [type: SettingType, value: Exclude<SettingValue, null>, text: string][] = [
  ["integer", 30_000, "30,000"],
  ["bytes", 0, "0 B"],
  ["bytes", 64 * 1024 ** 2, "64 MiB"],
  ["bytes", 5_000_000_000, "5 GB"],
  ["bytes", 1_025, "1025 B"],
  ["duration", 0, "0s"],
  ["duration", 14 * day, "14d"],
  ["duration", 90 * minute, "1h30m"],
  ["duration", 1_500, "1s500ms"],
  ["list", ["a", "b"], "a, b"],
  ["list", [], "[]"],
  ["list", ["a,b"], '["a,b"]'],
];

for (const [type, value, text] of formatted) {
  test(`${type} ${JSON.stringify(value)} is written as ${text}`, () => assert.equal(formatValue(type, value), text));
}

for (const place of [
  "wiki.example.com",
  "*.corp.example",
  "127.0.0.1:8080",
  "10.0.0.0/8",
  "::1",
  "[fd00::1]:443",
  "fd00::/8",
  "bücher.example",
]) {
  test(`${place} is a place of the network`, () => assert.deepEqual(read(placeList, [place]), [place]));
}

for (const place of [
  "http://x",
  "a b",
  "10.0.0.0/33",
  "x:99999",
  "x:",
  "[::1",
  "fd00::/129",
  "*",
  "*.10.0.0.1",
  "a/8",
  "user@host",
]) {
  test(`${place} is none`, () => assert.match(faultOf(placeList, [place]), /item 1, which must be a host, an address/));
}

test("headers by host are accepted unchanged, and a fault is reported without any value", () => {
  const written = { "wiki.example.com": { Authorization: "Bearer $TOKEN" } };
  assert.deepEqual(read(rows.headers, written), written);
  for (const wrong of [
    "x",
    ["x"],
    { "no host/": {} },
    { "*.example.com": {} },
    { "10.0.0.0/8": {} },
    { host: "s3cret" },
    { host: { "bad name": "s3cret" } },
    { host: { name: "s3cret\r\nInjected: s3cret" } },
    { host: { name: 1 } },
  ]) {
    assert.doesNotMatch(faultOf(rows.headers, wrong), /s3cret/);
  }
});

test("a range is described in words, and is empty if any value is accepted", () => {
  assert.equal(formatRange(rows.bytes), "from 0 B to 1024 TiB");
  assert.equal(formatRange(rows.duration), "at least 0s");
  assert.equal(formatRange({ type: "integer", default: 0, ceiling: 5, about: "" }), "at most 5");
  assert.equal(formatRange(rows.choice), "on, shadow, off");
  assert.equal(formatRange(rows.text), "");
});

const anyText = fc
  .string({ unit: "grapheme", minLength: 1 })
  .filter((text) => /^\P{Cc}+$/u.test(text) && text.trim() !== "");
const trimmed = anyText.map((text) => text.trim());
const values: Readonly<Record<SettingType, fc.Arbitrary<Exclude<SettingValue, null>>>> = {
  text: trimmed,
  path: fc.array(fc.stringMatching(/^[\w,~ -]*[\w,~-]$/)).map((parts) => `/${parts.join("/")}`),
  integer: fc.integer({ min: -10, max: 10_000_000 }),
  bytes: fc.oneof(
    fc.nat(),
    fc.nat({ max: 1024 }).map((count) => count * 1024 ** 4),
  ),
  duration: fc.maxSafeNat(),
  choice: fc.constantFrom("on", "shadow", "off"),
  list: fc.array(trimmed),
  headers: fc.dictionary(
    fc.constantFrom("a.example", "http://b.example:8080", "127.0.0.1:80", "[::1]:443"),
    fc.dictionary(fc.stringMatching(/^[A-Za-z-]+$/), trimmed, { noNullPrototype: true }),
    { noNullPrototype: true },
  ),
};

for (const [type, arbitrary] of Object.entries(values) as [SettingType, fc.Arbitrary<Exclude<SettingValue, null>>][]) {
  test(`any ${type} that is written back is read as the same value`, () => {
    fc.assert(
      fc.property(arbitrary, (value) => {
        assert.deepEqual(read(rows[type], valueFromText(rows[type], formatValue(type, value))), value);
      }),
    );
  });
}

test("no value, whatever it is, makes the parser throw, and what it accepts is in range", () => {
  const anything = fc.oneof(fc.anything({ withNullPrototype: true, withBigInt: true }), fc.string(), fc.double());
  fc.assert(
    fc.property(anything, fc.constantFrom(...settingNames), (written, name) => {
      const row = rowOf(name);
      const parsed = parseValue(row, typeof written === "string" ? valueFromText(row, written) : written, base);
      if (!parsed.ok || typeof parsed.value !== "number") return;
      assert.ok(Number.isSafeInteger(parsed.value));
      assert.ok(parsed.value >= (row.min ?? -Infinity) && parsed.value <= (row.ceiling ?? Infinity));
    }),
  );
});

test("every default passes its own row", () => {
  for (const name of settingNames) {
    const row = rowOf(name);
    const written = row.default === null ? null : valueFromText(row, formatValue(row.type, row.default));
    assert.deepEqual(read(row, written), row.default, name);
  }
});
