import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { assertLinearTime } from "../../../test/cpu-time.ts";
import { chunkText } from "../index/chunk.ts";
import { createView, findPart } from "../index/index-view.ts";
import { createSegmentBuilder } from "../index/segments/build-segment.ts";
import { openSegment } from "../index/segments/index-segment.ts";
import { parseQuery } from "./query.ts";
import { rankFiles } from "./rank.ts";

type Files = Readonly<Record<string, string>>;

function buildSegment(files: Files, firstId = 1) {
  const builder = createSegmentBuilder();
  for (const [index, [path, text]] of Object.entries(files).entries()) {
    builder.add({ id: firstId + index, path, text, chunks: chunkText(text) });
  }
  return openSegment(builder.finish()) ?? assert.fail("no segment");
}

function rankedPaths(files: Files, query: string): string[] {
  const segment = buildSegment(files);
  return rankFiles(createView([segment], null), parseQuery(query), { limit: 50 }).map(({ file }) => segment.path(file));
}

const body = "  return compute(value);\n".repeat(10);

const cases: readonly { name: string; query: string; files: Files; first: string }[] = [
  {
    name: "the definition of a name ranks above its uses",
    query: "parseOrder",
    files: { "use.ts": "parseOrder(a);\n".repeat(20), "define.ts": `function parseOrder(text) {\n${body}}\n` },
    first: "define.ts",
  },
  {
    name: "a type ranks above a function of the same name",
    query: "Router",
    files: { "a.go": "func Router() *Thing {\n}\n", "b.go": "type Router struct {\n\tname string\n}\n" },
    first: "b.go",
  },
  {
    name: "a file that is named like the query ranks first",
    query: "session handling",
    files: { "server.py": `def start():\n${body}# session\n`, "session.py": `def open():\n${body}# session\n` },
    first: "session.py",
  },
  {
    name: "code ranks above its tests",
    query: "retry with backoff",
    files: {
      "tests/retry_test.py": "def retry_backoff():\n  pass\n",
      "net/retry.py": `def retry_backoff():\n${body}`,
    },
    first: "net/retry.py",
  },
  {
    name: "tests rank first for a query about tests",
    query: "tests for retry backoff",
    files: {
      "tests/retry_test.py": `def test_retry_backoff():\n${body}`,
      "net/client.py": `def send():\n${body}  retry\n`,
    },
    first: "tests/retry_test.py",
  },
  {
    name: "code ranks above third-party and generated code",
    query: "order parser",
    files: {
      "third_party/order_parser.go": `func OrderParser() {\n${body}}\n`,
      "api/order_parser.pb.go": `func OrderParser() {\n${body}}\n`,
      "vendor/x/order_parser.go": `func OrderParser() {\n${body}}\n`,
      "zz/order_parser.go": `func OrderParser() {\n${body}}\n`,
    },
    first: "zz/order_parser.go",
  },
  {
    name: "third-party code ranks first for a query about it",
    query: "third party order parser",
    files: {
      "third_party/order_parser.go": `func OrderParser() {\n${body}}\n`,
      "zz/order.go": `func Order() {\n${body}}\n`,
    },
    first: "third_party/order_parser.go",
  },
  {
    name: "a name with hyphens is found as it is spelled",
    query: "parse-order",
    files: {
      "a.clj": `(defn send-all [orders]\n  (map parse-order orders))\n${"  (parse-order order)\n".repeat(9)}`,
      "z.clj": `(defn parse-order [text]\n${"  (compute value)\n".repeat(9)}`,
    },
    first: "z.clj",
  },
  {
    name: "words of the same family are found in paths",
    query: "serialization",
    files: { "serializer.ts": `export const x = 1;\n${body}`, "other.ts": `export const objects = 1;\n${body}` },
    first: "serializer.ts",
  },
  {
    name: "short forms are found",
    query: "request context",
    files: { "ctx.py": `class RequestContext:\n${body}`, "zzz.py": `x = 1\n${body}` },
    first: "ctx.py",
  },
  {
    name: "a path finds that file",
    query: "lib/app.py",
    files: { "app.py": body, "lib/app.py": "", "lib/other.py": `app lib py ${body}` },
    first: "lib/app.py",
  },
  ...["src/flask/sessions.py:120", "sessions.py:120: KeyError", "at src/flask/sessions.py:120 in open"].map(
    (query) => ({
      name: `a line of a file finds that file: ${query}`,
      query,
      files: {
        "docs/error.py": `KeyError open at src flask sessions py ${body}`,
        "src/flask/sessions.py": "x = 1\n",
        "sessions/py.py": `# sessions py flask src 120 KeyError\n${body}`,
      },
      first: "src/flask/sessions.py",
    }),
  ),
  {
    name: "a file that defines something ranks above one that only exports it",
    query: "order parser",
    files: {
      "order/parser/index.ts": 'export { OrderParser } from "./order-parser.js";\nexport * from "./order.js";\n',
      "order/parser/order-parser.ts": `export class OrderParser {\n${body}}\n`,
    },
    first: "order/parser/order-parser.ts",
  },
  {
    name: "a module file with its own code is not taken for a list of exports",
    query: "order parser",
    files: {
      "src/order_parser/mod.rs": `mod lexer;\npub use lexer::Lexer;\npub struct OrderParser {\n${body}}\n`,
      "src/text.rs": `// the order of a parser\nfn order_parser_text() {\n${body}}\n`,
    },
    first: "src/order_parser/mod.rs",
  },
  {
    name: "a word of the path that folder and file share counts for both",
    query: "status",
    files: {
      "lib/status/status.h": `class Status {\n${body}};\n`,
      "lib/status/statusor.h": `class StatusOr {\n${body}};\n// status status\n`,
    },
    first: "lib/status/status.h",
  },
  {
    name: "pages rank like code in a repository of pages",
    query: "rotating the keys",
    files: {
      ...Object.fromEntries(Array.from({ length: 40 }, (_, page) => [`docs/p${page}.md`, `# Page ${page}\n${body}`])),
      "docs/keys.md": `# Rotating the keys\n${"Keys are rotated every month.\n".repeat(9)}`,
      "theme/keys.js": `export function keys() {\n${body}}\n`,
    },
    first: "docs/keys.md",
  },
  {
    name: "code ranks above its tests, however many tests there are",
    query: "rotating the keys",
    files: {
      ...Object.fromEntries(
        Array.from({ length: 60 }, (_, file) => [`lib/f${file}.js`, `export function f${file}() {}\n`]),
      ),
      ...Object.fromEntries(Array.from({ length: 1_500 }, (_, file) => [`test/c${file}/index.js`, "check();\n"])),
      "test/secrets/index.js": `it("is rotating the keys", () => {\n${body}});\n`,
      "lib/secrets.js": `// For rotating keys.\nexport function turn() {\n${body}}\n`,
    },
    first: "lib/secrets.js",
  },
  {
    name: "two words of the query find one name in the code",
    query: "hash map",
    files: { "a.zig": `pub const HashMap = struct {\n${body}};\n`, "b.zig": `// hash of a map\n${body}` },
    first: "a.zig",
  },
];

describe("the ranking", () => {
  for (const { name, query, files, first } of cases) {
    test(name, () => assert.equal(rankedPaths(files, query)[0], first));
  }

  test("gives scores between 0 and 1, the best first, for any query", () => {
    const segment = buildSegment(Object.fromEntries(cases.flatMap(({ files }) => Object.entries(files))));
    const view = createView([segment], null);
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constantFrom(...cases.map(({ query }) => query)), fc.lorem()), (query) => {
        const scores = rankFiles(view, parseQuery(query), { limit: 50 }).map(({ score }) => score);
        assert.ok(scores.every((score) => score >= 0 && score <= 1));
        assert.deepEqual(
          scores,
          scores.toSorted((one, other) => other - one),
        );
      }),
    );
  });

  test("does not depend on the queries before it", () => {
    const segment = buildSegment(Object.fromEntries(cases.flatMap(({ files }) => Object.entries(files))));
    const used = createView([segment], null);
    const query = fc.oneof(fc.constantFrom(...cases.map((each) => each.query), "b.go", "session.py"), fc.lorem());
    fc.assert(
      fc.property(fc.array(query, { minLength: 1, maxLength: 5 }), (queries) => {
        for (const each of queries) {
          const options = { limit: 50, meaning: each.length % 2 === 0 ? null : new Map([[each.length % 5, 0.5]]) };
          const fresh = rankFiles(createView([segment], null), parseQuery(each), options);
          assert.deepEqual(rankFiles(used, parseQuery(each), options), fresh);
        }
      }),
    );
  });

  test("does not depend on how files are spread over segments, or on deleted files", () => {
    const files = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`f${index}.ts`, `const needle${index % 7} = hay + needle;\n${body}`]),
    );
    const [first, second] = [Object.entries(files).slice(0, 15), Object.entries(files).slice(15)];
    const deleted = Object.fromEntries(
      Object.entries(files).map(([path]) => [`gone/${path}`, "class goneOnly {}\nfunction needle() { hay }\n"]),
    );
    const live = Array.from({ length: 40 }, (_, index) => index + 1);
    const spread = createView(
      [
        buildSegment(Object.fromEntries(first), 1),
        buildSegment(deleted, 1_000),
        buildSegment(Object.fromEntries(second), 16),
      ],
      live,
    );
    const reversed = createView(
      [buildSegment(Object.fromEntries(second)), buildSegment(Object.fromEntries(first), 100)],
      null,
    );
    const whole = createView([buildSegment(files, 1)], null);
    const scores = (view: typeof whole, query: string) =>
      rankFiles(view, parseQuery(query), { limit: 10 }).map(({ file, score }) => {
        const { segment, firstFile } = findPart(view, file);
        return `${segment.path(file - firstFile)} ${score.toFixed(12)}`;
      });
    for (const query of ["needle", "needle3 hay", "f7", "needles haying", "goneOnly needle"]) {
      assert.deepEqual(scores(spread, query), scores(whole, query), query);
      assert.deepEqual(scores(reversed, query), scores(whole, query), query);
    }
  });

  test("finds a word of a family among any number of other words that begin like it", () => {
    const numbered: Files = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [`f${index}.ts`, `const render${1_000 + index} = 1;\n`]),
    );
    const added: Files = { "b.ts": "class Renderer {}\n" };
    for (const query of ["renderization", "renderable things"]) {
      assert.deepEqual(rankedPaths({ ...numbered, ...added }, query), ["b.ts"], query);
      const view = createView([buildSegment(numbered), buildSegment(added, 1_000)], null);
      assert.equal(rankFiles(view, parseQuery(query), { limit: 50 }).length, 1, `${query} in two segments`);
    }
  });

  test("takes time linear in the length of the query", () => {
    const view = createView([buildSegment({ "a.ts": body })], null);
    return assertLinearTime(25_000, (count) =>
      rankFiles(view, parseQuery("wordsWithoutEnd and_more ".repeat(count)), { limit: 10 }),
    );
  });
});
