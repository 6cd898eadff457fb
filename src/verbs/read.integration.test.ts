import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { openCli } from "../../test/cli.ts";
import { makePdfWithPages } from "../../test/pdf.ts";
import { answerText } from "../answer/answer.ts";
import { defaultSettings } from "../config/settings.ts";
import { openSession } from "../session/session.ts";
import { fetchSource } from "./fetch.ts";
import { type ReadOptions, readArtifact } from "./read.ts";

const lines = Array.from({ length: 400 }, (_, index) => `Line ${index + 1} mentions the gauge 🌊 at the weir.`).join(
  "\n",
);

async function keepSource(source: string) {
  const session = await openSession({
    settings: defaultSettings,
    cwd: join(import.meta.dirname),
    inMemory: true,
    makeFenceWord: () => "testword",
  });
  const answer = await fetchSource(source, {}, session);
  const ref = answer.fields.artifact_ref ?? assert.fail("nothing was kept");
  return { answer, read: (options: ReadOptions) => readArtifact(ref, options, session) };
}

const base64 = (bytes: Uint8Array, type: string) => `data:${type};base64,${Buffer.from(bytes).toString("base64")}`;

describe("a shortened answer", () => {
  test("of a fetch equals one with a smaller budget", async () => {
    const { answer } = await keepSource(base64(Buffer.from(lines), "text/plain"));
    for (const chars of [5_000, 1_001, 40, 1]) {
      const { content, fields, cut, nextRead } = answer.shorten(chars, "client");
      assert.ok(content !== null && content.length <= chars && lines.startsWith(content) && content.isWellFormed());
      assert.deepEqual([fields.next_offset, fields.has_more, fields.truncated], [content.length, true, true]);
      assert.deepEqual([fields.limit_chars, fields.bound], [chars, "client"]);
      assert.deepEqual(cut, { limitChars: chars, totalChars: lines.length, bound: "client" });
      assert.deepEqual([nextRead?.ref, nextRead?.offset], [fields.artifact_ref, content.length]);
    }
    const none = answer.shorten(0, "client");
    assert.deepEqual([none.content, none.fields.next_offset, none.fields.has_more], [null, 0, true]);
    const { summary, fields } = answer.shorten(1, "client");
    assert.equal(answerText(none), `${summary}\nRead on: read_artifact artifact_ref=${fields.artifact_ref} offset=0`);
    assert.equal(answer.shorten(100_000, "client").fields.bound, "default");
  });

  for (const options of [{}, { lines: "7-300" }, { offset: 333 }, { query: "gauge weir" }] satisfies ReadOptions[]) {
    test(`of a read by ${Object.keys(options)[0] ?? "nothing"} equals a read with that budget`, async () => {
      const { read } = await keepSource(base64(Buffer.from(lines), "text/plain"));
      const shorter = (await read(options)).shorten(1_000, "request");
      const requested = await read({ ...options, maxChars: 1_000 });
      assert.deepEqual({ ...shorter, shorten: undefined }, { ...requested, shorten: undefined });
    });
  }

  test("names the pages it still shows", async () => {
    const pages = Array.from({ length: 8 }, (_, index) => `Page ${index + 1} ${"measures the level ".repeat(3)}`);
    const { answer, read } = await keepSource(base64(makePdfWithPages(pages), "application/pdf"));
    assert.equal(answer.fields.page_range, "1-8");
    assert.equal(answer.shorten(100, "client").fields.page_range, "1-2");
    const reading = await read({ pages: "2,5-7" });
    assert.equal(reading.fields.page_range, "2,5-7");
    const shorter = reading.shorten(100, "client");
    assert.equal(shorter.fields.page_range, "2,5");
    const { content } = await read({ offset: shorter.fields.next_offset ?? -1 });
    assert.equal(content?.slice(0, 5), reading.content?.slice(shorter.content?.length).slice(0, 5));
  });
});

test("a question within little room shows the line that answers it", async () => {
  await using cli = await openCli();
  const log = Array.from({ length: 500 }, (_, index) =>
    index === 321 ? "ERROR volume 7: disk quota exceeded" : `INFO gauge ${index}: all is well`,
  );
  await cli.write("server.log", log.join("\n"));
  const [fetched] = await cli.json("fetch", "server.log");
  const { out } = await cli.run(["read", fetched.artifact_ref, "--query", "disk quota exceeded", "--max-chars", "150"]);
  assert.match(out, /^ERROR volume 7: disk quota exceeded$/m);
  const [, offset = ""] = /\[lines \d+-\d+, offset (\d+)\]/.exec(out) ?? [];
  const at = await cli.json("read", fetched.artifact_ref, "--offset", offset, "--max-chars", "100");
  assert.match(at[0].content, /^INFO gauge \d+: all is well\n/, "the place is that of the first line shown");
});
