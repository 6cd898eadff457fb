import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { describe, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { makeTemporaryFolder } from "../../test/bodies.ts";
import { makePdfWithPages, withPageMarks } from "../../test/pdf.ts";
import { closeSchema } from "../../test/schemas.ts";
import { startServer } from "../../test/server.ts";
import { openTools, TEST_WORD } from "../../test/tools.ts";
import { letEventsHappen, waitUntil } from "../../test/waiting.ts";
import { makeCutNotice, makeTruncationSuffix, toolAudience } from "../answer/truncation.ts";
import { closingFence, openingFence } from "../answer/untrusted-fence.ts";
import { clientRows, findClientProfile } from "../config/clients.ts";
import { type Bound, listLimits, makeBudget } from "../fit/budget.ts";
import { listShownForms } from "../fit/fit-reply.ts";
import { FIELDS_CHARS, measurePlainSize } from "../fit/serialized-size.ts";
import { openSession } from "../session/session.ts";
import { shareRoom } from "./many-sources.ts";
import { outputSchema } from "./output-fields.ts";
import { inputSchema } from "./parameters.ts";
import { readHints } from "./shared-parameters.ts";
import { toolContract } from "./tool.contract.ts";
import { defineTool, type ReceivedBytes } from "./tool.ts";
import { builtInTools, findTool } from "./tools.ts";
import { openTurn } from "./turn-budget.ts";

const words = (chars: number) => 'gauge level weir spill "quoted"\t🌊 '.repeat(Math.ceil(chars / 34)).slice(0, chars);

const ajv = new Ajv2020({ strict: true });
const validators = new Map(builtInTools.map((tool) => [tool.name, ajv.compile(closeSchema(tool.output))]));

function assertHolds(name: string, structured: object): void {
  const validate = validators.get(name) ?? assert.fail(name);
  assert.ok(
    validate(structured),
    `${name}: ${JSON.stringify(validate.errors)} in ${JSON.stringify(structured).slice(0, 500)}`,
  );
}

for (const tool of builtInTools) toolContract(tool);

toolContract(
  defineTool({
    name: "list_gauges",
    title: "List gauges",
    about: "Lists the gauges of a river; a tool without required parameters.",
    input: { river: { type: "text", about: "Only the gauges of this river." } },
    output: outputSchema({ gauges: { type: "array", items: { type: "string" } } }),
    hints: readHints,
    async run({ river = "every river" }) {
      const gauges = Array.from({ length: 400 }, (_, index) => `${river}: gauge ${index}`);
      return {
        budget: makeBudget({ default: 5_000 }),
        render(chars) {
          const listed = gauges.slice(0, Math.floor(chars / 50));
          return { summary: "[Gauges.]", notices: [], body: listed.join("\n"), structured: { gauges: listed } };
        },
      };
    },
  }),
  [
    { name: "every gauge", input: {} },
    { name: "the gauges of one river", input: { river: "Elbe" } },
  ],
);

describe("every tool", () => {
  for (const tool of builtInTools) {
    test(`${tool.name} has schemas that a strict validator accepts`, () => {
      ajv.compile(inputSchema(tool.input));
      ajv.compile(tool.output);
    });
  }

  test("emits an event for each call, never with its input", async () => {
    await using bench = await openTools();
    await bench.call("web_fetch", { url: "data:,hello", query: "hello secret" }, { client: findClientProfile("pi") });
    await bench.call("read_artifact", { artifact_ref: "af_0", password: "secret" });
    const called = bench.events.filter((event) => event.event === "tool.called");
    assert.deepEqual(
      called.map(({ tool, client, error }) => ({ tool, client, error })),
      [
        { tool: "web_fetch", client: "pi", error: null },
        { tool: "read_artifact", client: null, error: "artifact_not_found" },
      ],
    );
    assert.ok(!JSON.stringify(bench.events).includes("secret"));
  });

  test("an internal error is a reply too, an abort is not", async () => {
    await using bench = await openTools();
    const store = { ...bench.session.store, read: () => Promise.reject(new TypeError("boom")) };
    const ref = `af_${"0".repeat(32)}`;
    const { text, isError, fields } = await bench.call("read_artifact", { artifact_ref: ref }, { store });
    assert.deepEqual([isError, fields.code, text.split("\n")[0]], [true, "internal", "boom"]);
    const signal = AbortSignal.abort(new Error("changed my mind"));
    await assert.rejects(bench.call("web_fetch", { url: "data:,x" }, { signal }), /changed my mind/);
    await assert.rejects(bench.call("fetch_content", { urls: ["data:,x", "data:,y"] }, { signal }), /changed my mind/);
  });

  test("shows the surface's notes, and reports progress", async () => {
    await using bench = await openTools();
    const messages: string[] = [];
    const progress = (message: string) => void messages.push(message);
    const { text, fields } = await bench.call(
      "fetch_content",
      { urls: ["data:,a", "data:,b"] },
      { notes: ["Mind the gap."], progress },
    );
    assert.ok(text.includes("\nMind the gap.\n"));
    assert.deepEqual(fields.notes, ["Mind the gap."]);
    assert.deepEqual(messages, ["Fetched 1 of 2", "Fetched 2 of 2"]);
  });
});

test("a long call reports progress at intervals until it is done", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  await using bench = await openTools();
  const messages: string[] = [];
  const { promise, resolve } = Promise.withResolvers<never>();
  const store = { ...bench.session.store, find: () => promise };
  const progress = (message: string) => void messages.push(message);
  const reply = bench.call("read_artifact", { artifact_ref: `af_${"0".repeat(32)}` }, { store, progress });
  t.mock.timers.tick(4_100);
  assert.equal(messages.length, 2);
  assert.match(messages[0] ?? "", /^Read more of a kept source: working for \d+ s$/);
  resolve(undefined as never);
  await reply;
  t.mock.timers.tick(10_000);
  assert.equal(messages.length, 2);
});

test("a long download reports the bytes received, and the total where it is known", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  for (const { headers, ofAll, totalBytes } of [
    { headers: { "content-length": "3000000" }, ofAll: " of 3.0 MB", totalBytes: 3_000_000 },
    { headers: {}, ofAll: "", totalBytes: undefined },
  ]) {
    const begun = Promise.withResolvers<ServerResponse>();
    await using server = await startServer((_, response) => {
      response.writeHead(200, { "content-type": "text/plain", ...headers }).write("x".repeat(1_000_000));
      begun.resolve(response);
    });
    await using bench = await openTools({ "network.allow": [server.allow] });
    const messages: [string, ReceivedBytes | undefined][] = [];
    const progress = (message: string, received?: ReceivedBytes) => void messages.push([message, received]);
    const reply = bench.call("web_fetch", { url: server.origin }, { progress });
    const response = await begun.promise;
    while (messages.every(([, received]) => received?.bytes !== 1_000_000)) {
      t.mock.timers.tick(2_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const [message] = messages.at(-1) ?? assert.fail();
    assert.match(message, new RegExp(`^Fetch a page or document: working for \\d+ s, 1\\.0 MB${ofAll} received$`));
    assert.deepEqual(messages.at(-1)?.[1], { bytes: 1_000_000, totalBytes });
    t.mock.timers.tick(2_000);
    assert.equal(messages.at(-1)?.[1], undefined, "the same number of bytes is not reported twice");
    response.end("x".repeat(2_000_000));
    assert.equal((await reply).fields.size_bytes, 3_000_000);
  }
});

describe("fetch_content", () => {
  const long = words(120_000);
  const limits = [
    { name: "no maxChars cuts at 30,000", maxChars: undefined, chars: 30_000, bound: "default" },
    { name: "50,000 cuts there", maxChars: 50_000, chars: 50_000, bound: "request" },
    { name: "999,999 cuts at 100,000", maxChars: 999_999, chars: 100_000, bound: "ceiling" },
    { name: "12 cuts there", maxChars: 12, chars: 12, bound: "request" },
  ];
  for (const { name, maxChars, chars, bound } of limits) {
    for (const file of ["long.txt", "long.md"]) {
      test(`${name} (${file})`, async () => {
        await using bench = await openTools();
        const { text, fields, isError } = await bench.call("fetch_content", {
          url: await bench.write(file, long),
          maxChars,
        });
        const content = String(fields.content);
        assert.ok(!isError && content.length <= chars && content.length >= chars - 1 && long.startsWith(content));
        const notice = makeCutNotice(
          { limitChars: chars, totalChars: 120_000, bound: fields.bound as Bound },
          true,
          toolAudience,
        );
        assert.ok(text.endsWith(content + closingFence(TEST_WORD) + notice));
        assert.equal(notice.includes("Use a higher maxChars"), bound !== "ceiling");
        assert.equal(
          text.split("\n")[1],
          `Read on: read_artifact artifact_ref=${fields.artifact_ref} offset=${content.length}`,
        );
        assert.deepEqual(
          [fields.has_more, fields.next_offset, fields.limit_chars, fields.bound],
          [true, content.length, chars, bound],
        );
        assertHolds("fetch_content", fields);
      });
    }
  }

  test("small content has no notice", async () => {
    await using bench = await openTools();
    const { text, fields } = await bench.call("fetch_content", { url: "data:,hello" });
    assert.ok(text.endsWith(`\n${openingFence(TEST_WORD)}hello${closingFence(TEST_WORD)}`));
    assert.deepEqual([fields.content, fields.truncated, fields.next_offset], ["hello", false, null]);
  });

  test("shows a small PDF inline, where web_fetch shows an excerpt", async () => {
    await using bench = await openTools({ "fit.excerpt_chars": 1_000 });
    const pages = Array.from({ length: 60 }, (_, index) => `Page ${index + 1} measures the level of the river`);
    const url = await bench.write("a.pdf", makePdfWithPages(pages));
    const inline = await bench.call("fetch_content", { url });
    assert.ok(String(inline.fields.content).includes("Page 60 measures"));
    assert.match(
      inline.text,
      /^\[Fetched PDF artifact: a\.pdf, .* pages 60\. Extracted \d+ chars \(truncated=false\)\. Use artifact_ref=af_/,
    );
    const excerpt = await bench.call("web_fetch", { url });
    assert.ok(String(excerpt.fields.content).length <= 1_000);
    const page = await bench.call("web_fetch", { url, pages: 60 });
    assert.equal(page.fields.content, withPageMarks(pages.slice(59), 60));
    assert.equal(page.fields.page_range, "60");
  });

  test("the pages of a PDF are separate blocks after the summary, and joined they are the text", async () => {
    await using bench = await openTools();
    const names = ["Alpha", "Beta", "Gamma", "Delta", "Epsilon"];
    await bench.write("five.pdf", makePdfWithPages(names));
    const { text, blocks, fields } = await bench.call("fetch_content", { url: "five.pdf" });
    assert.equal(blocks.map((block) => block.text).join(""), text);
    assert.deepEqual(
      blocks.map(({ page }) => page),
      [undefined, 1, 2, 3, 4, 5, undefined],
    );
    assert.ok(blocks[0]?.text.endsWith(openingFence(TEST_WORD)));
    assert.equal(blocks.at(-1)?.text, closingFence(TEST_WORD));
    assert.deepEqual(
      blocks.slice(1, -1).map((block) => block.text.trim()),
      names.map((name, index) => withPageMarks([name], index + 1)),
    );
    for (const [pages, shown] of [
      ["2,4-5", [2, 4, 5]],
      ["3", [3]],
    ] as const) {
      const read = await bench.call("read_artifact", { artifact_ref: fields.artifact_ref, pages });
      assert.equal(read.blocks.map((block) => block.text).join(""), read.text);
      assert.deepEqual(
        read.blocks.slice(1, -1).map(({ page, text }) => [page, text.trim()]),
        shown.map((page) => [page, withPageMarks(names.slice(page - 1, page), page)]),
      );
    }
    const cut = await bench.call("read_artifact", { artifact_ref: fields.artifact_ref, max_chars: 29 });
    assert.deepEqual(
      cut.blocks.map(({ page, text }) => [page, text.length]).slice(1, -1),
      [
        [1, 24],
        [2, 5],
      ],
      "as far as the budget shows them",
    );
  });

  test("more than 50 pages are one block, and so is a source without pages", async () => {
    await using bench = await openTools();
    await bench.write("many.pdf", makePdfWithPages(Array.from({ length: 51 }, (_, index) => `Number ${index}`)));
    await bench.write("plain.txt", "no pages");
    for (const url of ["many.pdf", "plain.txt"]) {
      const { text, blocks } = await bench.call("fetch_content", { url });
      assert.deepEqual(blocks, [{ text }]);
    }
  });

  test("corrupt PDF bytes give the exact failure sentence, a ref, and none of the bytes", async () => {
    await using bench = await openTools();
    const url = await bench.write("a.pdf", `%PDF-1.7\n${"\u0001garbage".repeat(50)}`);
    for (const tool of ["fetch_content", "web_fetch"]) {
      const { text, fields, isError } = await bench.call(tool, { url, query: "anything" });
      assert.match(
        text,
        /^\[Fetched PDF artifact: a\.pdf.*Kept as artifact_ref=af_.*\]\nFailed to extract text from PDF: corrupt\n/,
      );
      assert.deepEqual(
        [fields.error, isError, fields.content],
        ["Failed to extract text from PDF: corrupt", false, null],
      );
      assert.ok(!text.includes("garbage") && !JSON.stringify(fields).includes("garbage"));
    }
  });

  test("a prompt selects passages, says so, and reports where they are", async () => {
    await using bench = await openTools();
    const filler = Array.from({ length: 80 }, (_, index) => `## Part ${index}\n\n${words(400)}\n`).join("\n");
    const url = await bench.write(
      "a.md",
      `# Handbook\n\n${filler}\n## Power\n\nWhen the mains fail the diesel starts.\n`,
    );
    const { text, fields } = await bench.call("fetch_content", { url, prompt: "what happens when the mains fail" });
    assert.match(text, /\[Selected the best \d+ of \d+ passages? of it that match the query\.\]/);
    assert.match(String(fields.content), /^\[lines \d+-\d+, offset \d+\]\n## Power\n.*diesel starts/s);
    const [best] = fields.passages as { offset: number; heading: string }[];
    assert.equal(best?.heading, "Power");
    assertHolds("fetch_content", fields);
    const none = await bench.call("fetch_content", { url, prompt: "zebra" });
    assert.match(none.text, /No passage contains a word of the question/);
    assert.ok(String(none.fields.content).startsWith("# Handbook"));
  });

  test("the title is the first heading, else the name", async () => {
    await using bench = await openTools();
    assert.equal(
      (await bench.call("fetch_content", { url: await bench.write("a.md", "x\n\n# The *weir*\n") })).fields.title,
      "The *weir*",
    );
    assert.equal((await bench.call("fetch_content", { url: await bench.write("b.txt", "x") })).fields.title, "b.txt");
  });

  test("several sources keep their order, are fetched once each, and one failure does not affect the others", async () => {
    await using bench = await openTools();
    const names = ["a.txt", "b.txt", "c.txt", "d.txt"];
    for (const name of names) await bench.write(name, `this is ${name}`);
    const urls = ["d.txt", "a.txt", "gone.txt", "b.txt", "a.txt", "http://[", "c.txt"];
    const { text, fields, isError } = await bench.call("fetch_content", { url: "d.txt", urls });
    const results = fields.results as { url: string; content?: string; error?: string; artifact_ref?: string }[];
    assert.deepEqual(
      results.map(({ url, error, content }) => [url, error ?? content]),
      [
        ["d.txt", "this is d.txt"],
        ["a.txt", "this is a.txt"],
        ["gone.txt", "Invalid URL"],
        ["b.txt", "this is b.txt"],
        ["http://[", "Invalid URL"],
        ["c.txt", "this is c.txt"],
      ],
    );
    assert.match(
      text,
      /^\[Fetched 4 of 6 sources\. responseId=rs_[0-9a-f]{32}\]\nRepeated addresses were fetched once: 2 of 8/,
    );
    for (const { artifact_ref } of results) assert.ok(artifact_ref === undefined || text.includes(artifact_ref));
    assert.equal(isError, false);
    assertHolds("fetch_content", fields);
    assert.equal((await bench.call("fetch_content", { urls: ["gone.txt", "gone2.txt"] })).isError, true);
  });

  test("three are fetched at a time", async () => {
    await using bench = await openTools();
    let [running, maxRunning] = [0, 0];
    const store = {
      ...bench.session.store,
      async keep(...args: Parameters<typeof bench.session.store.keep>) {
        maxRunning = Math.max(maxRunning, ++running);
        await waitUntil("three are fetched at once", () => maxRunning >= 3);
        // A fourth would come now.
        await letEventsHappen();
        running--;
        return bench.session.store.keep(...args);
      },
    };
    await bench.call("fetch_content", { urls: Array.from({ length: 9 }, (_, index) => `data:,${index}`) }, { store });
    assert.equal(maxRunning, 3);
  });

  test("a source that cannot be kept is answered, and the reply says that there is no handle", async () => {
    await using bench = await openTools();
    const full = () => Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" }));
    const { catalogue, objects } = bench.session.store;
    const { openStore } = await import("../artifacts/artifact-store.ts");
    const store = openStore({ catalogue, objects: { ...objects, put: full } }, { owner: "ada", run: "r" });
    const { text, fields } = await bench.call("fetch_content", { url: "data:,hello", prompt: "hello" }, { store });
    assert.match(text, /Not kept\.\][\s\S]*the disk is full[\s\S]*\n\nhello\n\n\[End /);
    assert.deepEqual([fields.artifact_ref, fields.responseId, fields.content], [null, null, "hello"]);
    assertHolds("fetch_content", fields);
  });

  const refused = [
    { input: {}, message: "url is missing." },
    {
      input: { urls: Array.from({ length: 21 }, (_, index) => `data:,${index}`) },
      message: /21 addresses, and one call takes 20/,
    },
    { input: { url: "not a url" }, message: "Invalid URL" },
    { input: { url: "http://" }, message: "Invalid URL" },
    { input: { url: "ftp://example.org/a" }, message: "Invalid URL" },
    { input: { url: "javascript:alert(1)" }, message: "Invalid URL" },
    { input: { url: "-" }, message: "Invalid URL" },
    { input: { url: `af_${"0".repeat(32)}` }, message: "Invalid URL" },
    { input: { url: "/etc/passwd" }, message: /is outside the folders that may be read/ },
    { input: { url: "file:///etc/passwd" }, message: /is outside the folders that may be read/ },
    { input: { url: "../../../../../../etc/passwd" }, message: /is outside the folders that may be read/ },
    { input: { url: "a.txt", mode: "pdf" }, message: /mode must be one of/ },
  ];
  for (const { input, message } of refused) {
    test(`refuses ${JSON.stringify(input).slice(0, 60)}`, async () => {
      await using bench = await openTools();
      const { fields, isError, text } = await bench.call("fetch_content", input);
      assert.ok(isError && String(fields.hint).length > 10);
      if (typeof message === "string") assert.equal(text.split("\n")[0], message);
      else assert.match(text, message);
    });
  }

  test("names parameters that do not exist", async () => {
    await using bench = await openTools();
    const { text } = await bench.call("fetch_content", { url: "data:,a", branch: "main", depth: 3 });
    assert.match(text, /Unknown parameters were ignored: "branch", "depth"/);
  });

  for (const { flag, plain, document } of [
    { flag: "on", plain: "plain", document: "A page" },
    { flag: "shadow", plain: "plain", document: null },
    { flag: "off", plain: "plain", document: null },
  ] as const) {
    test(`with the ingest flag ${flag} text is ${plain} and a PDF is ${document ?? "metadata"}`, async () => {
      await using bench = await openTools({ "runner.enable_filetype_ingest_router": flag });
      await bench.write("a.txt", "plain");
      await bench.write("a.pdf", makePdfWithPages(["A page"]));
      for (const [url, content] of [
        ["a.txt", plain],
        ["a.pdf", document],
      ] as const) {
        const { fields } = await bench.call("fetch_content", { url, prompt: "plain page" });
        assert.ok(fields.artifact_ref);
        assert.equal(fields.content === null ? null : String(fields.content).split("\n").at(-1), content);
      }
    });
  }
});

describe("web_fetch_html", () => {
  test("answers with the source as it was sent, and read_artifact continues in it", async () => {
    await using bench = await openTools();
    const html = `<!doctype html><title>T</title><p>${words(40_000)}</p>`;
    const { fields } = await bench.call("web_fetch_html", { url: await bench.write("a.html", html) });
    assert.ok(html.startsWith(String(fields.content)));
    assertHolds("web_fetch_html", fields);
    const { artifact_ref, next_offset: offset } = fields;
    const rest = await bench.call("read_artifact", { artifact_ref, offset, mode: "raw" });
    assert.equal(String(fields.content) + String(rest.fields.content), html);
  });
});

describe("get_search_content", () => {
  async function stored() {
    const bench = await openTools();
    await bench.write("a.md", `# Alpha\n\n${words(60_000)}`);
    await bench.write("b.txt", "beta");
    const { fields } = await bench.call("fetch_content", { urls: ["a.md", "b.txt", "gone.txt"], maxChars: 2_000 });
    return { ...bench, responseId: fields.responseId as string, [Symbol.asyncDispose]: bench[Symbol.asyncDispose] };
  }

  test("lists what is stored when nothing is chosen", async () => {
    await using bench = await stored();
    const { text, fields } = await bench.call("get_search_content", { responseId: bench.responseId });
    assert.match(
      text,
      /^\[3 stored under responseId=rs_.*\]\n\[Begin .*\]\n\n0\. "Alpha" \| a\.md \| af_\w+\n1\. "b\.txt" \| b\.txt \| af_\w+\n2\. .* nothing: Invalid URL\n\n\[End .*\]$/,
    );
    assert.deepEqual([fields.stored_count, (fields.stored as object[]).length], [3, 3]);
    assertHolds("get_search_content", fields);
  });

  test("returns the extracted text by index, by address and by ref", async () => {
    await using bench = await stored();
    const { responseId } = bench;
    const byIndex = await bench.call("get_search_content", { response_id: responseId, urlIndex: "0" });
    assert.equal(String(byIndex.fields.content).length, 30_000);
    assert.ok(byIndex.text.endsWith(makeTruncationSuffix(30_000, 60_009)));
    const byUrl = await bench.call("get_search_content", { responseId, url: "b.txt" });
    assert.deepEqual([byUrl.fields.content, byUrl.fields.title, byUrl.fields.url], ["beta", "b.txt", "b.txt"]);
    const ref = byUrl.fields.artifact_ref;
    for (const input of [{ artifact_ref: ref }, { responseId: ref }, { artifact_ref: `artifact://${ref}` }]) {
      assert.equal((await bench.call("get_search_content", input)).fields.content, "beta");
    }
    const offset = byIndex.fields.next_offset;
    const rest = await bench.call("get_search_content", { responseId, urlIndex: 0, offset, maxChars: 100_000 });
    assert.equal(String(byIndex.fields.content) + String(rest.fields.content), `# Alpha\n\n${words(60_000)}`);
    assertHolds("get_search_content", rest.fields);
  });

  test("finds what was stored for a question", async () => {
    await using bench = await openTools();
    const { fields } = await bench.call("fetch_content", { url: "data:,the weir spills", prompt: "weir" });
    const { responseId } = fields;
    for (const choice of [{ query: "weir" }, { queryIndex: 0 }, { maxChars: 1_000 }]) {
      assert.equal(
        (await bench.call("get_search_content", { responseId, ...choice })).fields.content,
        "the weir spills",
      );
    }
    assert.match(
      (await bench.call("get_search_content", { responseId, query: "dam" })).text,
      /^No query "dam" is stored here\.\nStored: "weir"/,
    );
    assert.match(
      (await bench.call("get_search_content", { responseId, queryIndex: 3 })).text,
      /^queryIndex 3 out of range\. Valid: 0-0\n/,
    );
  });

  test("words errors as the contract does", async () => {
    await using bench = await stored();
    const { responseId } = bench;
    const id = `rs_${"0".repeat(32)}`;
    const cases = [
      {
        input: { responseId: id },
        line: `No result found for responseId "${id}". Results may have expired or been cleared.`,
      },
      {
        input: { responseId: "*" },
        line: 'No result found for responseId "*". Results may have expired or been cleared.',
      },
      { input: { responseId, urlIndex: 3 }, line: "urlIndex 3 out of range. Valid: 0-2" },
      { input: { responseId, urlIndex: -1 }, line: "urlIndex -1 out of range. Valid: 0-2" },
      { input: { responseId, urlIndex: 2 }, line: "Nothing is stored of gone.txt: Invalid URL." },
      { input: { responseId, url: "c.txt" }, line: 'No url "c.txt" is stored here.' },
      { input: {}, line: "responseId is missing." },
    ];
    for (const { input, line } of cases) {
      const { text, isError } = await bench.call("get_search_content", input);
      assert.deepEqual([text.split("\n")[0], isError], [line, true]);
    }
  });
});

describe("read_artifact", () => {
  async function openKept(content: string | Uint8Array, name = "a.md") {
    const bench = await openTools();
    const { fields } = await bench.call("web_fetch", { url: await bench.write(name, content) });
    return { ...bench, ref: fields.artifact_ref as string, [Symbol.asyncDispose]: bench[Symbol.asyncDispose] };
  }

  test("reads the chosen range with its offsets and lines", async () => {
    await using bench = await openKept("# One\n\nfirst\n\n# Two\n\nsecond part\n");
    const { ref: artifact_ref } = bench;
    const read = async (part: object) => (await bench.call("read_artifact", { artifact_ref, ...part })).fields;
    assert.equal((await read({ section: "Two" })).content, "# Two\n\nsecond part\n");
    assert.equal((await read({ lines: "3" })).content, "first\n");
    assert.equal((await read({ lines: 3 })).content, "first\n");
    assert.equal((await read({ offset: "14" })).content, "# Two\n\nsecond part\n");
    assert.equal((await read({ query: "second" })).matched_count, 1);
    assert.equal((await read({ query: "zebra" })).content, null);
    assertHolds("read_artifact", await read({ query: "second" }));
  });

  const refused = [
    { part: { lines: "5-2" }, text: /^lines must be numbers from 1/ },
    { part: { lines: "1", section: "x" }, text: /cannot be combined/ },
    { part: { pages: "1" }, text: /^This document has no pages/ },
    { part: { section: "Three" }, text: /^There is no section "Three"\.\nSections: "One"/ },
    { part: { offset: 99 }, text: /past the end/ },
    { part: { artifact_ref: "../../x" }, text: /^No artifact "\.\.\/\.\.\/x" in this store\.\nA ref is af_/ },
    { part: { artifact_ref: "*" }, text: /^No artifact "\*"/ },
  ];
  for (const { part, text } of refused) {
    test(`refuses ${JSON.stringify(part)}`, async () => {
      await using bench = await openKept("# One\n\nfirst\n");
      const reply = await bench.call("read_artifact", { artifact_ref: bench.ref, ...part });
      assert.ok(reply.isError);
      assert.match(reply.text, text);
    });
  }
});

describe("the budget of a reply", () => {
  const sources = fc.array(
    fc.record({
      text: fc.oneof(
        fc.string({ unit: "binary", maxLength: 400 }),
        fc.constantFrom('"\\\t\n', "🌊", "水位計", "plain words of a page ", "# Heading\n\n"),
      ),
      times: fc.integer({ min: 0, max: 6_000 }),
    }),
    { minLength: 1, maxLength: 6 },
  );
  const clients = fc.constantFrom(undefined, ...clientRows.map(({ name }) => name), "Visual Studio Code");

  test("holds for any sources, any requested number and any client, in both forms", async () => {
    await using bench = await openTools();
    await fc.assert(
      fc.asyncProperty(
        sources,
        fc.integer({ min: -10, max: 200_000 }),
        clients,
        fc.boolean(),
        async (bodies, maxChars, name, ask) => {
          const urls = await Promise.all(
            bodies.map(({ text, times }, index) =>
              bench.write(`p${index}.md`, text.repeat(Math.min(times, 150_000 / (text.length + 1)))),
            ),
          );
          const client = findClientProfile(name);
          const prompt = ask ? "words of the heading" : undefined;
          const first = await bench.call("fetch_content", { urls, maxChars, prompt }, { client });
          const replies = [
            { name: "fetch_content", reply: first },
            { name: "web_fetch", reply: await bench.call("web_fetch", { url: urls[0], query: prompt }, { client }) },
            {
              name: "get_search_content",
              reply: await bench.call(
                "get_search_content",
                { responseId: first.fields.responseId, urlIndex: 0, maxChars },
                { client },
              ),
            },
            {
              name: "get_search_content",
              reply: await bench.call("get_search_content", { responseId: first.fields.responseId }, { client }),
            },
          ];
          for (const { name: tool, reply } of replies) assertWithin(tool, reply, maxChars, client);
        },
      ),
      { numRuns: 60 },
    );
  });

  function assertWithin(
    tool: string,
    reply: Awaited<ReturnType<Awaited<ReturnType<typeof openTools>>["call"]>>,
    maxChars: number,
    client: ReturnType<typeof findClientProfile>,
  ): void {
    const { text, structured } = reply;
    const requested = tool === "web_fetch" ? undefined : maxChars;
    const { chars } = makeBudget({ requested, default: 30_000, client: client?.limit });
    assert.ok(text.isWellFormed());
    assert.ok(text.length <= Math.max(chars, 30_000) + 600);
    if (!("stored" in structured)) {
      assert.ok(text.length <= chars + 600, `${tool}: ${text.length} characters of text for ${chars}`);
      assert.ok(
        measurePlainSize(structured) <= chars + FIELDS_CHARS,
        `${tool}: ${measurePlainSize(structured)} of fields for ${chars}`,
      );
    }
    const limits = listLimits(makeBudget({ default: Infinity, ceiling: Infinity, client: client?.limit }));
    for (const form of listShownForms(reply, client)) {
      for (const { unit, max, measure } of limits) assert.ok(measure(form) <= max, `${tool}: ${measure(form)} ${unit}`);
    }
    assertHolds(tool, structured);
  }

  test("holds for any input that a model may send", async () => {
    await using bench = await openTools();
    await bench.write("a.md", `# One\n\n${words(9_000)}`);
    const { fields } = await bench.call("fetch_content", { url: "a.md" });
    const real = fc.constantFrom(
      "a.md",
      "data:,x",
      fields.artifact_ref,
      fields.responseId,
      "1-2",
      "0",
      0,
      -1,
      "One",
      "gauge",
    );
    const value = fc.oneof(real, fc.jsonValue({ maxDepth: 2 }), fc.array(real, { maxLength: 3 }));
    for (const tool of builtInTools) {
      const input = fc.dictionary(
        fc.constantFrom(...Object.keys(tool.input), "unknown", "max_chars", "__proto__"),
        value,
      );
      await fc.assert(
        fc.asyncProperty(fc.oneof(input, fc.jsonValue(), fc.string()), async (raw) => {
          const { text, structured } = await bench.call(tool.name, raw);
          assert.ok(text.length > 0 && text.length <= 100_600 && text.isWellFormed());
          assertHolds(tool.name, structured);
        }),
        { numRuns: 150 },
      );
    }
  });

  test("is the client's limit where that is smaller, and the reply says so", async () => {
    await using bench = await openTools();
    const url = await bench.write("a.txt", words(50_000));
    const client = findClientProfile("Visual Studio Code");
    const { text, fields } = await bench.call("web_fetch", { url }, { client });
    assert.equal(fields.bound, "client");
    assert.ok(Buffer.byteLength(text) <= 7_782 && Buffer.byteLength(text) > 7_500);
    const both = await bench.call("web_fetch", { url }, { client: client && { ...client, form: "both" } });
    const bothBytes = Buffer.byteLength(both.text) + Buffer.byteLength(JSON.stringify(both.fields));
    assert.ok(bothBytes <= 7_782 && bothBytes > 7_000, String(bothBytes));
    assert.equal((await bench.call("web_fetch", { url }, { turn: openTurn(5_600) })).fields.bound, "turn");
  });

  test("for twenty sources leaves room for every handle, even at its smallest", async () => {
    await using bench = await openTools();
    const urls = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        bench.write(`${"深い/".repeat(20)}${"水位計".repeat(8)}${index}.txt`, words(3_000)),
      ),
    );
    const narrow = findClientProfile("Visual Studio Code");
    for (const { maxChars, client } of [
      { maxChars: 1_000, client: undefined },
      { maxChars: 10_000, client: undefined },
      { maxChars: 100_000, client: undefined },
      { maxChars: 1_000, client: narrow },
      { maxChars: 100_000, client: narrow },
    ]) {
      const reply = await bench.call("fetch_content", { urls, maxChars }, { client });
      const { text, fields } = reply;
      assertWithin("fetch_content", reply, maxChars, client);
      const refs = (fields.results as { artifact_ref: string }[]).map(({ artifact_ref }) => artifact_ref);
      assert.ok(refs.length === 20 && refs.every((ref) => text.includes(ref)));
      assert.ok(text.length <= maxChars + 600 && measurePlainSize(fields) <= maxChars + FIELDS_CHARS);
    }
  });

  test("is shared so that short contents are complete", () => {
    assert.deepEqual(shareRoom([10, 1_000, 2_000], 210), [10, 100, 100]);
    assert.deepEqual(shareRoom([10, 20], 500), [10, 20]);
    assert.deepEqual(shareRoom([10, 20], -5), [0, 0]);
    assert.deepEqual(shareRoom([], 5), []);
  });
});

test("a ref works in another session of the same owner, and for no other owner", async () => {
  await using folder = await makeTemporaryFolder();
  const { defaultSettings } = await import("../config/settings.ts");
  const { callTool } = await import("./call-tool.ts");
  const settings = { ...defaultSettings, home: folder.path };
  const [fetchTool, readTool] = [findTool("fetch_content"), findTool("get_search_content")];
  assert.ok(fetchTool && readTool);
  await using first = await openSession({ settings, owner: "ada" });
  const { structured } = await callTool(fetchTool, { url: "data:,hello" }, first);
  for (const [owner, isError] of [
    ["ada", false],
    ["bob", true],
  ] as const) {
    await using second = await openSession({ settings, owner });
    const reply = await callTool(readTool, { responseId: structured.responseId, urlIndex: 0 }, second);
    assert.deepEqual([reply.isError, reply.structured.content], [isError, isError ? undefined : "hello"]);
  }
});
