/** Every cut reply names the next call. Here it is made literally, until nothing follows. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makePdfWithPages } from "../../test/pdf.ts";
import { openTools } from "../../test/tools.ts";
import { findClientProfile } from "../config/clients.ts";

/** The call in the head of a text; undefined where it names none. */
function findNextCall(text: string): { name: string; input: Record<string, string> } | undefined {
  const [head = ""] = text.split("[Begin untrusted");
  const [, name, parameters] = /^Read on: (\w+) (\S+(?: \S+=\S+)*)/m.exec(head) ?? [];
  if (name === undefined || parameters === undefined) return undefined;
  return { name, input: Object.fromEntries(parameters.split(" ").map((pair) => pair.split("="))) };
}

type Bench = Awaited<ReturnType<typeof openTools>>;

/** The contents of a call and of all calls that follow it. */
async function readToEnd(bench: Bench, name: string, input: object, more = {}): Promise<string> {
  let reply = await bench.call(name, input, more);
  let content = String(reply.fields.content);
  for (let calls = 0; calls < 200; calls++) {
    const next = findNextCall(reply.text);
    assert.equal(next === undefined, reply.fields.next_offset === null, reply.text.slice(0, 400));
    if (next === undefined) return content;
    reply = await bench.call(next.name, next.input, more);
    content += String(reply.fields.content);
  }
  return assert.fail("it never ends");
}

const lines = Array.from({ length: 4_000 }, (_, index) => `Line ${index} of the gauge 🌊 at the weir.`).join("\n");

describe("reading on as the reply says", () => {
  const cases = [
    { name: "web_fetch", input: { url: "a.txt" } },
    { name: "web_fetch_html", input: { url: "a.txt" } },
    { name: "fetch_content", input: { url: "a.txt" } },
    { name: "fetch_content", input: { url: "a.txt", maxChars: 100_000 } },
    { name: "fetch_content", input: { url: "a.txt", maxChars: 40_000, mode: "raw" } },
    { name: "fetch_content", input: { url: "a.txt" }, client: "vscode" },
  ];
  for (const { name, input, client } of cases) {
    test(`${name} ${JSON.stringify(input)} ${client ?? ""} reaches the whole text`, async () => {
      await using bench = await openTools();
      await bench.write("a.txt", lines);
      assert.equal(await readToEnd(bench, name, input, { client: findClientProfile(client) }), lines);
    });
  }

  test("keeps the mode, on which offsets depend", async () => {
    await using bench = await openTools();
    const page = `<html><body>${"<p class='x'>Weirs hold <b>water</b> back.</p>\n".repeat(3_000)}</body></html>`;
    await bench.write("a.html", page);
    assert.equal(await readToEnd(bench, "web_fetch_html", { url: "a.html" }), page);
    const { text } = await bench.call("fetch_content", { url: "a.html", mode: "text" });
    assert.match(text, /\nRead on: read_artifact artifact_ref=af_\w{32} offset=30000 mode=text\n/);
  });

  test("works for pages, sections and passages", async () => {
    await using bench = await openTools({ "fit.excerpt_chars": 1_000 });
    const pages = Array.from({ length: 90 }, (_, index) => `Page ${index + 1} ${"measures the level ".repeat(6)}`);
    await bench.write("a.pdf", makePdfWithPages(pages));
    const whole = await bench.call("fetch_content", { url: "a.pdf" });
    assert.equal(await readToEnd(bench, "web_fetch", { url: "a.pdf" }), whole.fields.content);
    await bench.write("a.md", `# One\n\n${lines}\n\n## Two\n\n${lines}\n`);
    const { fields } = await bench.call("web_fetch", { url: "a.md" });
    const ref = fields.artifact_ref;
    const section = await bench.call("read_artifact", { artifact_ref: ref, section: "Two", max_chars: 500 });
    const next = findNextCall(section.text) ?? assert.fail(section.text);
    const rest = await bench.call(next.name, next.input);
    const text = `# One\n\n${lines}\n\n## Two\n\n${lines}`;
    assert.ok(text.includes(String(section.fields.content) + String(rest.fields.content).slice(0, 1_000)));
    const passages = await bench.call("read_artifact", { artifact_ref: ref, query: "line 3999 gauge", max_chars: 300 });
    const more = findNextCall(passages.text) ?? assert.fail(passages.text);
    assert.equal(Number(more.input.offset), passages.fields.next_offset);
    const following = await bench.call(more.name, more.input);
    assert.equal(following.isError, false);
  });

  test("continues a passage that was cut", async () => {
    await using bench = await openTools();
    const paragraph = `The weir ${"holds the water back and ".repeat(40)}lets it fall.`;
    await bench.write("a.txt", paragraph);
    const first = await bench.call("web_fetch", { url: "a.txt" });
    const cut = await bench.call("read_artifact", {
      artifact_ref: first.fields.artifact_ref,
      query: "weir",
      max_chars: 200,
    });
    const next = findNextCall(cut.text) ?? assert.fail(cut.text);
    const rest = await bench.call(next.name, next.input);
    const shown = String(cut.fields.content).split("\n").slice(1).join("\n");
    assert.equal(shown + String(rest.fields.content), paragraph);
  });
});

describe("a reply about several sources", () => {
  test("names the next call for each that is cut", async () => {
    await using bench = await openTools();
    for (const name of ["a.txt", "b.txt"]) await bench.write(name, `${name}\n${lines}`);
    const { text, fields } = await bench.call("fetch_content", {
      urls: ["a.txt", "b.txt", "data:,short"],
      maxChars: 20_000,
    });
    const results = fields.results as { artifact_ref: string; next_offset: number | null }[];
    for (const { artifact_ref, next_offset } of results) {
      const call = `Read on: read_artifact artifact_ref=${artifact_ref} offset=${next_offset}\n`;
      assert.equal(text.includes(call), next_offset !== null);
    }
    assert.equal(text.split("Use a higher maxChars to retrieve more.]").length, 3);
  });

  test("of which only handles fit names the call that shows the first", async () => {
    await using bench = await openTools();
    const urls = await Promise.all(
      Array.from({ length: 20 }, (_, index) => bench.write(`${index}.txt`, `${index} ${lines}`)),
    );
    for (const maxChars of [1, 300, 1_000]) {
      const { text, fields, isError } = await bench.call("fetch_content", { urls, maxChars });
      assert.ok(!isError && text.length <= maxChars + 600, `${text.length} characters`);
      const next = findNextCall(text) ?? assert.fail(text);
      assert.deepEqual([next.name, next.input], ["read_artifact", { responseId: fields.responseId, urlIndex: "0" }]);
      const first = await bench.call(next.name, next.input);
      assert.match(String(first.fields.content), /^0 Line 0/);
    }
  });

  test("that are only listed names the call that shows the first which is not", async () => {
    await using bench = await openTools({ "fit.read_chars": 1_000 });
    const { fields } = await bench.call("fetch_content", { urls: ["data:,a", "data:,b", "data:,c"] });
    const { text } = await bench.call("get_search_content", { responseId: fields.responseId });
    const next = findNextCall(text) ?? assert.fail(text);
    assert.equal((await bench.call(next.name, next.input)).fields.content, "b");
  });
});

describe("a small maxChars", () => {
  for (const maxChars of [1, 7, 250, 999]) {
    test(`${maxChars} is honoured by every tool that has it`, async () => {
      await using bench = await openTools();
      await bench.write("a.txt", lines);
      const fetched = await bench.call("fetch_content", { url: "a.txt", maxChars });
      const { artifact_ref, responseId } = fetched.fields;
      for (const { text, fields } of [
        fetched,
        await bench.call("read_artifact", { artifact_ref, max_chars: maxChars }),
        await bench.call("get_search_content", { responseId, urlIndex: 0, maxChars }),
      ]) {
        assert.deepEqual(
          [fields.content, fields.limit_chars, fields.bound],
          [lines.slice(0, maxChars), maxChars, "request"],
        );
        assert.ok(text.endsWith("Use a higher maxChars to retrieve more.]"));
      }
    });
  }

  test("below 1 is refused, with a hint", async () => {
    await using bench = await openTools();
    for (const maxChars of [0, -5, "0"]) {
      const { text, isError } = await bench.call("fetch_content", { url: "data:,x", maxChars });
      assert.ok(isError);
      assert.match(
        text,
        /^maxChars must be a whole number from 1, not .*\nFor example "maxChars": 5000, or leave it out\.$/,
      );
    }
  });
});
