import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Fields, findPaths, inputSchema, readInput } from "./parameters.ts";

const fields = {
  url: { type: "text", about: "Address.", required: true, aliases: ["link"] },
  urls: { type: "list", about: "Addresses." },
  maxChars: { type: "integer", about: "Characters." },
  mode: { type: "choice", about: "Form.", choices: ["markdown", "raw"] },
  noCache: { type: "flag", about: "Fresh." },
} as const satisfies Fields;

const absent = { urls: undefined, maxChars: undefined, mode: undefined, noCache: undefined };

describe("lenient input", () => {
  const cases: { name: string; raw: unknown; values: object }[] = [
    { name: "as it should be", raw: { url: "a", maxChars: 5 }, values: { maxChars: 5 } },
    { name: "a JSON text", raw: '{"url": "a"}', values: {} },
    { name: "spaces around a text", raw: { url: " a\n" }, values: {} },
    {
      name: "empty and null are absent",
      raw: { url: "a", maxChars: "", mode: null, urls: [], noCache: "  " },
      values: {},
    },
    { name: "a number as text", raw: { url: "a", maxChars: "50_000" }, values: { maxChars: 50_000 } },
    { name: "a number with commas", raw: { url: "a", maxChars: " 1,234 " }, values: { maxChars: 1_234 } },
    { name: "zero is a number", raw: { url: "a", maxChars: 0 }, values: { maxChars: 0 } },
    { name: "a fraction is cut", raw: { url: "a", maxChars: 12.7 }, values: { maxChars: 12 } },
    { name: "a list as JSON text", raw: { url: "a", urls: '["b", "c"]' }, values: { urls: ["b", "c"] } },
    { name: "one item of a list", raw: { url: "a", urls: "b" }, values: { urls: ["b"] } },
    { name: "a list with holes", raw: { url: "a", urls: ["b", "", null] }, values: { urls: ["b"] } },
    {
      name: "another spelling",
      raw: { URL: "a", max_chars: 7, "no-cache": "yes" },
      values: { maxChars: 7, noCache: true },
    },
    { name: "another name", raw: { link: "a" }, values: {} },
    { name: "the real name wins", raw: { link: "b", url: "a" }, values: {} },
    { name: "the real name wins in any order", raw: { url: "a", link: "b" }, values: {} },
    { name: "a list of one for a text", raw: { url: ["a"] }, values: {} },
    { name: "a choice in capitals", raw: { url: "a", mode: " RAW " }, values: { mode: "raw" } },
    { name: "a flag as number", raw: { url: "a", noCache: 0 }, values: { noCache: false } },
  ];
  for (const { name, raw, values } of cases) {
    test(name, () =>
      assert.deepEqual(readInput(fields, raw), { values: { url: "a", ...absent, ...values }, notes: [] }),
    );
  }

  test("numbers become text where text is expected", () => {
    assert.equal(readInput(fields, { url: 3 }).values.url, "3");
    assert.equal(readInput(fields, { url: [1, 4] }).values.url, "1,4");
  });

  test("unknown parameters are named in a note", () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`extra${index}\u202e`, 1]));
    const { notes } = readInput(fields, { url: "a", ...many });
    assert.match(
      notes.join(),
      /Unknown parameters were ignored: "extra0", .* and 35 more\. Known parameters: url, urls, maxChars/,
    );
    assert.ok(notes.join().length < 400);
  });
});

describe("input that cannot be understood says what to do", () => {
  const cases = [
    { raw: {}, message: "url is missing.", hint: /^Send url: Address\.$/ },
    { raw: undefined, message: "url is missing.", hint: /Address/ },
    { raw: { adress: "a" }, message: 'url is missing. "adress" is not known.', hint: /Send url/ },
    { raw: "not JSON", message: 'The input must be an object, not "not JSON".', hint: /by name/ },
    { raw: [1], message: "The input must be an object, not a list of 1.", hint: /by name/ },
    { raw: { url: { a: 1 } }, message: "url must be text, not an object.", hint: /one string/ },
    { raw: { url: ["a", "b"] }, message: "url must be text, not a list of 2.", hint: /one string/ },
    {
      raw: { url: "a", maxChars: "many" },
      message: 'maxChars must be a whole number, not "many".',
      hint: /leave it out/,
    },
    { raw: { url: "a", maxChars: true }, message: "maxChars must be a whole number, not true.", hint: /leave it out/ },
    { raw: { url: "a", maxChars: "Infinity" }, message: /whole number/, hint: /leave it out/ },
    { raw: { url: "a", mode: "pdf" }, message: 'mode must be one of markdown, raw, not "pdf".', hint: /one of these/ },
    { raw: { url: "a", noCache: "maybe" }, message: 'noCache must be true or false, not "maybe".', hint: /true/ },
    {
      raw: { url: "a", urls: [{}] },
      message: "urls must be a list of texts, but contains an object.",
      hint: /\["one"/,
    },
    { raw: { url: "a", urls: "[broken" }, message: undefined, hint: undefined },
  ];
  for (const { raw, message, hint } of cases) {
    test(`${JSON.stringify(raw)}`, () => {
      if (message === undefined || hint === undefined)
        return assert.deepEqual(readInput(fields, raw).values.urls, ["[broken"]);
      assert.throws(() => readInput(fields, raw), { code: "usage", message, hint });
    });
  }
});

test("the same table makes the schema", () => {
  assert.deepEqual(inputSchema(fields), {
    type: "object",
    properties: {
      url: { type: "string", description: "Address." },
      urls: { type: "array", description: "Addresses.", items: { type: "string" } },
      maxChars: { type: "integer", description: "Characters." },
      mode: { type: "string", description: "Form.", enum: ["markdown", "raw"] },
      noCache: { type: "boolean", description: "Fresh." },
    },
    required: ["url"],
  });
});

describe("the paths among parameters", () => {
  const fields = {
    url: { type: "text", about: "", aliases: ["source"], path: true },
    urls: { type: "list", about: "", path: true },
    prompt: { type: "text", about: "" },
  } as const;
  for (const [raw, paths] of [
    [{ url: "/srv/f.txt", prompt: "../TCP or /etc/hosts" }, ["/srv/f.txt"]],
    [{ source: " </srv/f.txt> " }, ["/srv/f.txt"]],
    [{ urls: '["/a", "b/c"]' }, ["/a", "b/c"]],
    [{ url: 7, urls: ["x"] }, ["7", "x"]],
    ["nonsense", []],
  ] as const) {
    test(`of ${JSON.stringify(raw)} are ${JSON.stringify(paths)}`, () =>
      assert.deepEqual(findPaths(fields, raw), paths));
  }
});
