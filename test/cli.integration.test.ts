import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readdir, readFile, rename, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { diskStorage } from "../src/artifacts/storage.ts";
import { openCli } from "./cli.ts";
import { waitUntil } from "./waiting.ts";

const bin = join(import.meta.dirname, "..", "src", "surfaces", "cli", "process.ts");
const refForm = /^af_[0-9a-f]{32}$/;
const long = Array.from({ length: 4_000 }, (_, i) => `line ${i + 1} of a long text\n`).join("");
const png = Buffer.from("89504e470d0a1a0a0000000d4948445200000001000000010806000000", "hex");

describe("spillway fetch", () => {
  test("prints a whole text and its ref, and another process can read the ref", async () => {
    await using cli = await openCli();
    await cli.write("notes.txt", "first\nsecond\n");
    const { out, status } = await cli.run(["fetch", "notes.txt"]);
    assert.equal(status, 0);
    const [summary = "", mark, blank, ...content] = out.split("\n");
    assert.match(
      summary,
      /^\[Fetched text artifact: notes\.txt, 13 B\. Extracted 13 chars \(truncated=false\)\. Use artifact_ref=af_[0-9a-f]{32} for targeted follow-up\.\]$/,
    );
    assert.match(mark ?? "", /untrusted content/);
    assert.deepEqual([blank, ...content.slice(0, 4)], ["", "first", "second", "", ""]);
    const [, word] = /^\[Begin untrusted content ([a-z2-9]{8}): /.exec(mark ?? "") ?? [];
    assert.deepEqual(content.slice(4), [`[End untrusted content ${word}.]`, ""]);
    const ref = /af_[0-9a-f]{32}/.exec(summary)?.[0] ?? "";
    const env = { ...process.env, SPILLWAY_HOME: cli.home };
    const output = execFileSync(process.execPath, [bin, "read", ref, "--lines", "2"], { env, encoding: "utf8" });
    assert.match(output, /\n\nsecond\n/);
    assert.equal(execFileSync(process.execPath, [bin, "cat", ref], { env, encoding: "utf8" }), "first\nsecond\n");
  });

  for (const { chars, maxChars, shown, truncated, bound } of [
    { chars: 29_999, maxChars: undefined, shown: 29_999, truncated: false, bound: "default" },
    { chars: 30_000, maxChars: undefined, shown: 30_000, truncated: false, bound: "default" },
    { chars: 30_001, maxChars: undefined, shown: 30_000, truncated: true, bound: "default" },
    { chars: 60_000, maxChars: "50000", shown: 50_000, truncated: true, bound: "request" },
    { chars: 200_000, maxChars: "999999", shown: 100_000, truncated: true, bound: "ceiling" },
    { chars: 5_000, maxChars: "250", shown: 250, truncated: true, bound: "request" },
    { chars: 5_000, maxChars: "1", shown: 1, truncated: true, bound: "request" },
  ]) {
    test(`shows ${shown} of ${chars} characters with --max-chars ${maxChars}, bound by ${bound}`, async () => {
      await using cli = await openCli();
      await cli.write("a.txt", "x".repeat(chars));
      const flags = maxChars === undefined ? [] : ["--max-chars", maxChars];
      const [fields] = await cli.json("fetch", "a.txt", ...flags);
      assert.deepEqual(
        [fields.content.length, fields.truncated, fields.has_more, fields.bound, fields.extracted_chars],
        [shown, truncated, truncated, bound, chars],
      );
      assert.equal(fields.next_offset, truncated ? shown : null);
      const { out } = await cli.run(["fetch", "a.txt", ...flags]);
      const advice =
        bound === "ceiling" ? "No reply shows more. Read on as said above." : "Use a higher maxChars to retrieve more.";
      const notice = `\n\n[Content truncated at ${shown} chars. Total: ${chars} chars. ${advice}]\n`;
      assert.equal(out.endsWith(notice), truncated);
      assert.equal(out.includes(`\nRead on: spillway read ${fields.artifact_ref} --offset ${shown}\n`), truncated);
    });
  }

  test("never shows bytes of a binary, whatever its name", async () => {
    await using cli = await openCli();
    const body = Buffer.concat([png, Buffer.from("SECRETBYTES"), Buffer.alloc(200, 0)]);
    for (const name of ["a.png", "a.txt", "a.html", "a", "a.json"]) {
      await cli.write(name, body);
      const { out, status } = await cli.run(["fetch", name]);
      assert.equal(status, 0);
      assert.match(out, /^\[Fetched image artifact: /);
      assert.ok(!out.includes("SECRETBYTES"));
      const [fields] = await cli.json("fetch", name);
      assert.deepEqual([fields.content, fields.handler, fields.content_kind], [null, "image", "image"]);
      assert.deepEqual((await cli.run(["cat", "--raw", fields.artifact_ref])).bytes, body);
    }
  });

  test("refuses to read standard input a second time", async () => {
    await using cli = await openCli();
    const { out, status } = await cli.run(["fetch", "-", "-", "--json"], { stdin: "hi" });
    const [first, second] = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual([first.content, second.error, status], ["hi", "Standard input has already been read.", 1]);
  });

  test("bounds names and errors of any length", async () => {
    await using cli = await openCli();
    const huge = "x".repeat(60_000);
    const data = await cli.run(["fetch", `data:text/plain;x=${huge},hello`, "--json"]);
    assert.equal(JSON.parse(data.out).content, "hello");
    assert.ok(data.out.length < 3_000, `${data.out.length}`);
    const missing = await cli.run(["fetch", huge, "--json"]);
    assert.ok(missing.out.length < 4_000 && missing.err.length < 4_000, `${missing.out.length} ${missing.err.length}`);
    for (const argv of [
      ["read", huge],
      [huge],
      ["artifacts", huge],
      ["doctor", huge],
      ["read", "af_1", "--lines", huge],
    ]) {
      const { err, status } = await cli.run(argv);
      assert.ok(status !== 0 && err.length < 1_500, `${argv[0]?.slice(0, 10)} ${err.length}`);
    }
  });

  test("never prints a control character of a name", async () => {
    await using cli = await openCli();
    const name = await cli.write("ev\x1b[31mil\nline2 af_fake", "text");
    const texts = [
      (await cli.run(["fetch", name])).out,
      (await cli.run(["artifacts", "ls"])).out,
      (await cli.run(["detect", name])).out,
      (await cli.run(["fetch", `${name}-missing`])).err,
    ];
    for (const text of texts) assert.doesNotMatch(text, /\x1b|^line2/m);
  });

  test("answers many sources in order, a line each, also after a failure", async () => {
    await using cli = await openCli();
    await cli.write("a.txt", "a");
    await cli.write("b.txt", "b");
    const { out, err, status } = await cli.run(["fetch", "a.txt", "missing", "b.txt", "--json"]);
    const lines = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ source_url, error }) => [source_url, error]),
      [
        ["a.txt", undefined],
        ["missing", "There is no file missing."],
        ["b.txt", undefined],
      ],
    );
    assert.equal(status, 1);
    assert.match(err, /There is no file missing/);
  });

  test("shows and counts the damage in a text and in a page", async () => {
    await using cli = await openCli();
    await cli.write("a.log", `first\x02 line\n${"a line of a log\n".repeat(800)}last\x1f\0\0 line\n`);
    const [log] = await cli.json("fetch", "a.log");
    assert.equal(log.content_kind, "text");
    assert.ok(log.content.startsWith("first\ufffd line\n") && log.content.endsWith("last\ufffd\ufffd line\n"));
    assert.deepEqual(log.warnings, ["Shown as U+FFFD: 4 control characters."]);
    const page = Buffer.from(`<meta charset="utf-8"><p>${"今天的天气很好。".repeat(40)}</p>`);
    const damaged = Buffer.concat([page.subarray(0, 100), Buffer.from([0xff]), page.subarray(100)]);
    const [html] = await cli.json("fetch", `data:text/html;charset=utf-8;base64,${damaged.toString("base64")}`);
    assert.match(html.content, /^今天的.*\ufffd.*天气/);
    assert.match(html.warnings.join(), /Shown as U\+FFFD: \d undecodable place/);
  });

  test("reads standard input and data: URLs", async () => {
    await using cli = await openCli();
    const reply = JSON.parse((await cli.run(["fetch", "-", "--json"], { stdin: "from a pipe" })).out);
    assert.deepEqual([reply.content, reply.source_url], ["from a pipe", "-"]);
    const [data] = await cli.json("fetch", "data:text/html,<p>hi</p>");
    assert.deepEqual([data.content_kind, data.content], ["html", "hi"]);
  });

  test("keeps what fits of a source over the cap and says so", async () => {
    await using cli = await openCli();
    await cli.write("big.txt", "x".repeat(5_000));
    const [fields] = await cli.json("fetch", "big.txt", "--set", "artifacts.source_bytes=2000");
    assert.deepEqual(
      [fields.source_truncated, fields.truncated, fields.size_bytes, fields.extracted_chars],
      [true, true, 2_000, null],
    );
    assert.match(fields.warnings.join(), /at least 2000; the source was not kept whole/);
    assert.match(fields.warnings[0], /^Only the first .* of the source were kept/);
  });

  test("still answers with bounded text when the store is not writable", async () => {
    await using cli = await openCli();
    await cli.write("a.txt", long);
    const env = { SPILLWAY_HOME: join(cli.work, "a.txt", "not-a-folder") };
    const { out, status } = await cli.run(["fetch", "a.txt", "--json"], { env });
    const fields = JSON.parse(out);
    assert.equal(status, 0);
    assert.deepEqual([fields.artifact_ref, fields.artifact_path, fields.content.length], [null, null, 30_000]);
    assert.match(fields.warnings[0], /could not be kept/);
    const text = (await cli.run(["fetch", "a.txt"], { env })).out;
    assert.match(text, /^\[Fetched text artifact: .* Not kept\.\]\nThe artifact could not be kept: /);
    assert.ok(text.length <= 30_600);
  });

  test("keeps all answers together within 100,000 characters", async () => {
    await using cli = await openCli();
    const names = await Promise.all(Array.from({ length: 30 }, (_, i) => cli.write(`f${i}.txt`, long + i)));
    const { out, err } = await cli.run(["fetch", ...names]);
    assert.ok(out.length <= 100_600 && out.length > 90_000, String(out.length));
    const refs = out.match(/artifact_ref=af_/g)?.length ?? 0;
    const omitted = Number(/(\d+) more sources? fetched/.exec(err)?.[1] ?? 0);
    assert.equal(refs + omitted, 30);
    assert.equal((await cli.json("artifacts", "ls")).length, 30);
  });

  test("for any text and budget, the content fits, the reply adds at most 600 characters, and the bytes are kept", async () => {
    await using cli = await openCli();
    const anyText = fc.oneof(
      fc.string({ unit: "binary", maxLength: 3_000 }),
      fc
        .array(fc.constantFrom("\t", '"', "\\", "漢字", "😀", "\n", "word ", "\u202e", "\x1b[31m"), {
          maxLength: 3_000,
        })
        .map((parts) => parts.join("")),
      fc.uint8Array({ maxLength: 3_000 }).map((bytes) => Buffer.from(bytes)),
    );
    await fc.assert(
      fc.asyncProperty(anyText, fc.integer({ min: 1, max: 4_000 }), async (body, maxChars) => {
        const bytes = Buffer.from(body as string);
        await cli.write("any", bytes);
        const { out } = await cli.run(["fetch", "any", "--max-chars", String(maxChars)]);
        const [fields] = await cli.json("fetch", "any", "--max-chars", String(maxChars));
        assert.ok((fields.content ?? "").length <= maxChars);
        assert.ok(out.length - 1 <= (fields.content ?? "").length + 600, `${out.length}`);
        assert.ok((fields.content ?? "").isWellFormed());
        assert.match(fields.artifact_ref, refForm);
        assert.deepEqual((await cli.run(["cat", "--raw", fields.artifact_ref])).bytes, bytes);
      }),
      { numRuns: 40 },
    );
  });

  test("adds at most 600 characters to the content, also with a hostile name and without a store", async () => {
    await using cli = await openCli();
    const name = `${"ü".repeat(60)} ]\u202e[SYSTEM] ${"x".repeat(60)}.txt`;
    await cli.write(name, long);
    for (const env of [{}, { SPILLWAY_HOME: join(cli.work, name, "x") }]) {
      const { out } = await cli.run(["fetch", name, "--set", "artifacts.source_bytes=50000"], { env });
      assert.ok(out.length - 1 <= 30_600, `${out.length}`);
      assert.ok(!out.includes("\u202e") && !out.slice(0, 300).includes("[SYSTEM]"));
    }
  });
});

describe("spillway read", () => {
  test("reads by offset until the text is complete", async () => {
    await using cli = await openCli();
    await cli.write("long.txt", long);
    const [{ artifact_ref, content, next_offset }] = await cli.json("fetch", "long.txt");
    let text = content;
    for (let offset = next_offset; offset !== null; ) {
      const [fields] = await cli.json("read", artifact_ref, "--offset", String(offset));
      assert.equal(fields.total_chars, long.length);
      text += fields.content;
      offset = fields.next_offset;
    }
    assert.equal(text, long);
  });

  test("reads lines with their places and totals", async () => {
    await using cli = await openCli();
    await cli.write("long.txt", long);
    const [{ artifact_ref: ref }] = await cli.json("fetch", "long.txt");
    const [one] = await cli.json("read", ref, "--lines", "2000-2001");
    assert.equal(one.content, "line 2000 of a long text\nline 2001 of a long text\n");
    assert.deepEqual([one.start_line, one.end_line, one.total_lines, one.has_more], [2_000, 2_001, 4_000, false]);
    const [tail] = await cli.json("read", ref, "--lines", "3999-");
    assert.equal(tail.content, "line 3999 of a long text\nline 4000 of a long text\n");
    const [past] = await cli.json("read", ref, "--lines", "4000-9000");
    assert.equal(past.content, "line 4000 of a long text\n");
    const [first] = await cli.json("read", ref, "--lines", "1");
    assert.equal(first.content, "line 1 of a long text\n");
  });

  test("says that a binary has no text, with any selector", async () => {
    await using cli = await openCli();
    await cli.write("a.png", png);
    const [{ artifact_ref: ref }] = await cli.json("fetch", "a.png");
    for (const flags of [
      [],
      ["--lines", "1"],
      ["--section", "x"],
      ["--pages", "1"],
      ["--query", "x"],
      ["--offset", "5"],
    ]) {
      const { out, status } = await cli.run(["read", ref, ...flags]);
      assert.equal(status, 0);
      assert.match(out, /there is no text to read/, flags.join(" "));
    }
  });

  test("ranks passages and says where they are", async () => {
    await using cli = await openCli();
    await cli.write("log.txt", `${long}\nERROR disk quota exceeded on volume seven\n\n${long}`);
    const [{ artifact_ref: ref }] = await cli.json("fetch", "log.txt");
    const [fields] = await cli.json("read", ref, "--query", "which volume exceeded its quota?");
    assert.match(fields.content, /^\[lines \d+-\d+, offset \d+\]\n[^[]*ERROR disk quota exceeded on volume seven/);
    const { start_line, end_line } = fields.passages[0];
    assert.ok(start_line <= 4_002 && end_line >= 4_002);
    assert.ok(fields.content.length <= 30_000);
    const [unmatched] = await cli.json("read", ref, "--query", "zebra");
    assert.deepEqual([unmatched.content, unmatched.matched_count], [null, 0]);
    assert.match((await cli.run(["read", ref, "--query", "zebra"])).out, /No passage .* Try other words/);
  });

  test("reads a section of Markdown by its heading", async () => {
    await using cli = await openCli();
    await cli.write("doc.md", "# Top\n\nintro\n\n## Install\n\nrun it\n\n### Linux\n\napt\n\n## Use\n\nuse it\n");
    const [{ artifact_ref: ref }] = await cli.json("fetch", "doc.md");
    const [fields] = await cli.json("read", ref, "--section", "install");
    assert.equal(fields.content, "## Install\n\nrun it\n\n### Linux\n\napt\n\n");
    const missing = await cli.run(["read", ref, "--section", "Nope"]);
    assert.equal(missing.status, 1);
    assert.match(missing.err, /Sections: "Top", "Install", "Linux", "Use"/);
  });

  for (const { argv, status, says } of [
    { argv: ["--lines", "5-2"], status: 2, says: /lines must be/ },
    { argv: ["--lines", "0"], status: 2, says: /lines must be/ },
    { argv: ["--lines", "99"], status: 1, says: /Line 99 is past the end: the text has 2 lines/ },
    { argv: ["--offset", "-1"], status: 2, says: /offset/ },
    { argv: ["--offset", "999"], status: 1, says: /past the end/ },
    { argv: ["--pages", "1"], status: 1, says: /no pages/ },
    { argv: ["--lines", "1", "--query", "x"], status: 2, says: /cannot be combined/ },
    { argv: ["--max-chars", "many"], status: 2, says: /whole number/ },
    { argv: ["--mode", "pretty"], status: 2, says: /no mode/ },
    { argv: ["extra"], status: 2, says: /one argument too many/ },
    { argv: ["--nonsense"], status: 2, says: /read has no option --nonsense/ },
  ]) {
    test(`says what is wrong with ${argv.join(" ")}`, async () => {
      await using cli = await openCli();
      await cli.write("a.txt", "one\ntwo\n");
      const [{ artifact_ref }] = await cli.json("fetch", "a.txt");
      const result = await cli.run(["read", artifact_ref, ...argv]);
      assert.equal(result.status, status);
      assert.match(result.err, says);
      assert.equal(result.out, "");
    });
  }

  test("does not find an unknown ref, a wildcard or a path", async () => {
    await using cli = await openCli();
    for (const ref of ["*", "af_*", "../../etc/passwd", `af_${"0".repeat(32)}`]) {
      const { status, err } = await cli.run(["read", ref]);
      assert.equal(status, 1);
      assert.match(err, /No artifact/);
    }
  });
});

describe("spillway cat and detect", () => {
  test("cat --json prints the record, the extraction fields and the whole text", async () => {
    await using cli = await openCli();
    await cli.write("long.txt", long);
    const [fields] = await cli.json("cat", "long.txt");
    assert.equal(fields.text, long);
    assert.deepEqual(
      [fields.source_url, fields.content_kind, fields.extracted_chars, fields.extraction_truncated, fields.charset],
      ["long.txt", "text", long.length, false, "utf-8"],
    );
    assert.match(fields.artifact_ref, refForm);
  });

  test("cat fails if only the beginning of a source was kept", async () => {
    await using cli = await openCli();
    await cli.write("long.txt", long);
    for (const flags of [[], ["--raw"]]) {
      const { out, err, status } = await cli.run(["cat", "long.txt", ...flags, "--set", "artifacts.source_bytes=1000"]);
      assert.equal(out.length, 1_000);
      assert.equal(status, 1);
      assert.match(err, /larger than what is kept/);
    }
  });

  test("cat is not bounded, not even by what one read extracts", async () => {
    await using cli = await openCli();
    await cli.write("wide.txt", "x".repeat(350_000));
    const { out } = await cli.run(["cat", "wide.txt", "--set", "extract.chars=100000"]);
    assert.equal(out.length, 350_000);
  });

  test("a read past what is extracted extracts up to it", async () => {
    await using cli = await openCli();
    await cli.write("wide.txt", `${"x".repeat(349_999)}!`);
    const set = ["--set", "extract.chars=100000"];
    const [fetched] = await cli.json("fetch", "wide.txt", ...set);
    assert.equal(fetched.extraction_truncated, true);
    assert.equal(fetched.extracted_chars, 350_000, "text is counted to its end, however much of it is stored");
    const [part] = await cli.json("read", fetched.artifact_ref, "--offset", "150000", "--max-chars", "1000", ...set);
    assert.equal(part.content, "x".repeat(1_000));
    const [end] = await cli.json("read", fetched.artifact_ref, "--lines", "1", "--max-chars", "1000");
    assert.deepEqual([end.total_chars, end.extraction_truncated], [350_000, false]);
    const [last] = await cli.json("read", fetched.artifact_ref, "--offset", "349999");
    assert.equal(last.content, "!");
  });

  test("a read names the whole length of a text, however little of it is read", async () => {
    await using cli = await openCli();
    const source = `<p>${"text and tags<br>\n".repeat(20_000)}</p>`;
    await cli.write("wide.html", source);
    const [{ artifact_ref: ref }] = await cli.json("fetch", "wide.html");
    const [part] = await cli.json("read", ref, "--mode", "raw", "--max-chars", "1000", "--set", "extract.chars=100000");
    assert.deepEqual([part.total_chars, part.total_lines], [source.length, 20_001]);
    const { err } = await cli.run(["read", ref, "--mode", "raw", "--offset", "999999"]);
    assert.match(err, /Offset 999999 is past the end: the text has 360,007 characters/);
  });

  test("detect prints kind, type, charset, what decided and all signals", async () => {
    await using cli = await openCli();
    await cli.write("a.json", '{"a": 1}');
    await cli.write("b.txt", gzipSync("x"));
    const lines = await cli.json("detect", "a.json", "b.txt");
    assert.deepEqual(
      lines.map(({ source_url, content_kind }) => [source_url, content_kind]),
      [
        ["a.json", "text"],
        ["b.txt", "archive"],
      ],
    );
    assert.deepEqual(Object.keys(lines[0]), [
      "source_url",
      "content_kind",
      "media_type",
      "charset",
      "decided_by",
      "signals",
      "source_truncated",
    ]);
    const [mislabelled] = await cli.json(
      "detect",
      "a.json",
      "--content-type",
      "application/pdf",
      "--url",
      "https://h/x.pdf",
    );
    assert.equal(mislabelled.content_kind, "text");
    assert.ok(mislabelled.signals.notes.length > 0);
    assert.deepEqual(await cli.json("artifacts", "ls"), [], "detect keeps nothing");
  });
});

describe("spillway artifacts, events and doctor", () => {
  test("list, show, manifest, remove and sweep", async () => {
    await using cli = await openCli();
    await cli.write("a.txt", "a");
    const [{ artifact_ref: ref, artifact_path }] = await cli.json("fetch", "a.txt", "--set", "run=first");
    const [record] = await cli.json("artifacts", "show", ref);
    for (const field of [
      "path",
      "media_type",
      "sha256",
      "source_url",
      "created_at",
      "last_used_at",
      "owner",
      "signals",
    ]) {
      assert.ok(field in record, field);
    }
    assert.match(record.created_at, /^\d{4}-\d\d-\d\dT.*Z$/);
    assert.equal(record.run, "first");
    assert.equal((await cli.json("artifacts", "manifest", "first"))[0].artifact_ref, ref);
    assert.equal((await cli.run(["artifacts", "manifest", "none"])).status, 1);
    assert.equal((await cli.run(["artifacts", "rm", ref])).status, 0);
    await assert.rejects(readFile(artifact_path), /ENOENT/);
    const expired = await cli.run(["read", ref]);
    assert.equal(expired.status, 1);
    assert.match(expired.err, /expired on .* \(removed by its owner\)/);
    assert.equal((await cli.run(["artifacts", "rm", ref])).status, 1);
    const [report] = await cli.json("artifacts", "sweep");
    assert.deepEqual(report.swept, []);
    assert.equal((await cli.run(["artifacts", "polish"])).status, 2);
  });

  test("foreign files in the store do no harm", async () => {
    await using cli = await openCli();
    await cli.write("a.txt", "a");
    await cli.json("fetch", "a.txt", "--set", "run=My Run");
    for (const stray of [".DS_Store", "Not A Key", "owners/lost+found", "blobs/Backup~"]) {
      await mkdir(dirname(join(cli.home, stray)), { recursive: true });
      await writeFile(join(cli.home, stray), "x");
    }
    assert.equal((await cli.run(["artifacts", "sweep"])).status, 0);
    assert.equal((await cli.json("artifacts", "ls")).length, 1);
    assert.equal((await cli.run(["doctor"])).status, 0);
  });

  test("unknown actions and extra arguments are wrong usage", async () => {
    await using cli = await openCli();
    for (const name of ["toString", "constructor", "__proto__", "polish"]) {
      const { status, err } = await cli.run(["artifacts", name]);
      assert.equal(status, 2);
      assert.match(err, /artifacts has no action/);
    }
    for (const argv of [
      ["doctor", "x"],
      ["artifacts", "ls", "x"],
      ["artifacts", "sweep", "x"],
      ["events", "a", "b"],
    ]) {
      assert.equal((await cli.run(argv)).status, 2, argv.join(" "));
    }
  });

  test("reading a swept artifact says when it expired, and fetching restores it", async () => {
    await using cli = await openCli();
    await cli.write("a.txt", "a");
    const [{ artifact_ref: ref }] = await cli.json("fetch", "a.txt", "--set", "run=one");
    const sweepArgs = ["artifacts", "sweep", "--set", "artifacts.keep_bytes=0", "--set", "run=two"];
    assert.deepEqual((await cli.json(...sweepArgs))[0].swept, [], "used within the last hour");
    await backdateUses(cli.home);
    assert.deepEqual((await cli.json(...sweepArgs))[0].swept, [{ artifact_ref: ref, reason: "bytes", size_bytes: 1 }]);
    assert.match((await cli.run(["read", ref])).err, /expired on .*the store was full.*\n.*Fetch a\.txt again/);
    const [refetched] = await cli.json("fetch", "a.txt");
    assert.equal(refetched.artifact_ref, ref);
  });

  test("events say why a source is binary, and contain no content", async () => {
    await using cli = await openCli();
    await cli.write("secret-name.txt", Buffer.concat([png, Buffer.from("canary-content")]));
    const [{ artifact_ref: ref }] = await cli.json("fetch", "secret-name.txt", "--set", "run=story");
    await cli.json("read", ref, "--query", "canary-query", "--set", "run=story");
    const events = await cli.json("events", "story");
    const classified = events.find(({ event }) => event === "ingest.classified");
    assert.deepEqual(
      [classified.decided_by, classified.signals.magic, classified.content_kind, classified.source],
      ["magic", "image/png", "image", "secret-name.txt"],
    );
    const names = events.map(({ event }) => event);
    assert.deepEqual(names, ["ingest.classified", "ingest.completed", "run.summary", "artifact.read", "run.summary"]);
    const log = await readFile(
      join(cli.home, "events", (await readdir(join(cli.home, "events")))[0] ?? "", "story.jsonl"),
      "utf8",
    );
    assert.ok(!log.includes("canary-content") && !log.includes("canary-query") && !log.includes(cli.work));
    assert.match((await cli.run(["events", "story", "--ref", ref])).out, /ingest\.classified .*decided_by=magic/);
    assert.deepEqual(await cli.json("events", "--list"), [{ run: "story" }]);
    assert.equal((await cli.run(["events", "none"])).status, 1);
  });

  test("doctor accepts a working store and names what is wrong with a broken one", async () => {
    await using cli = await openCli();
    assert.equal((await cli.run(["doctor"])).status, 0);
    await writeFile(join(cli.work, "file"), "x");
    const broken = await cli.run(["doctor", "--json"], {
      env: { SPILLWAY_HOME: join(cli.work, "file"), SPILLWAY_FIT_READ_CHARS: "many" },
    });
    assert.equal(broken.status, 1);
    const failedChecks = JSON.parse(broken.out).checks.filter(({ ok }: { ok: boolean }) => !ok);
    assert.deepEqual(
      failedChecks.map(({ name }: { name: string }) => name),
      ["settings", "store", "events"],
    );
  });
});

describe("the data folder", () => {
  test("is not used while others can write to it; replies say so, and doctor names it", {
    skip: process.platform === "win32" && "Windows has access lists",
  }, async () => {
    await using cli = await openCli();
    await cli.write("a.txt", "weir");
    await mkdir(cli.home, { mode: 0o700 });
    await chmod(cli.home, 0o777);
    const [reply] = await cli.json("fetch", "a.txt");
    assert.equal(reply.artifact_ref, null);
    assert.match(reply.warnings.join(" "), /could not be kept: other users can change its folder/);
    assert.deepEqual(await readdir(cli.home), []);
    const doctor = await cli.run(["doctor"]);
    assert.equal(doctor.status, 1);
    assert.match(doctor.out, /FAIL {2}store: The data folder .* others can write to it \(mode 777\)\..*chmod go-w/);
    await chmod(cli.home, 0o700);
    assert.ok((await cli.json("fetch", "a.txt"))[0].artifact_ref);
  });

  test("keeps what lies behind a linked tmp folder when it is swept", async () => {
    await using cli = await openCli();
    const elsewhere = join(cli.work, "precious");
    await mkdir(join(elsewhere, "sub"), { recursive: true });
    for (const name of ["thesis.txt", "put-1-2", "sub/data.csv"]) await writeFile(join(elsewhere, name), "mine");
    await mkdir(cli.home, { mode: 0o700 });
    await symlink(elsewhere, join(cli.home, "tmp"));
    for (const name of ["thesis.txt", "put-1-2"]) await utimes(join(elsewhere, name), 1, 1);
    assert.equal((await cli.run(["artifacts", "sweep"])).status, 0);
    assert.deepEqual((await readdir(elsewhere)).sort(), ["put-1-2", "sub", "thesis.txt"]);
  });

  test("keeps what lies behind any other linked folder", async () => {
    await using cli = await openCli();
    await cli.write("a.txt", "weir");
    await cli.run(["fetch", "a.txt"]);
    const elsewhere = join(cli.work, "precious");
    await rename(join(cli.home, "events"), elsewhere);
    const [owner = ""] = await readdir(elsewhere);
    for (const name of ["data.jsonl", "more.jsonl"]) {
      await writeFile(join(elsewhere, owner, name), "mine");
      await utimes(join(elsewhere, owner, name), 1, 1);
    }
    await symlink(elsewhere, join(cli.home, "events"));
    await cli.run(["fetch", "a.txt", "--set", "events.runs=1", "--set", "run=other"]);
    const names = await readdir(join(elsewhere, owner));
    assert.ok(names.includes("data.jsonl") && names.includes("more.jsonl"), names.join());
    assert.ok(names.includes("other.jsonl"), "the log is written all the same");
  });
});

/** Makes every artifact of the store one that was last used two hours ago. */
async function backdateUses(home: string): Promise<void> {
  const { catalogue } = diskStorage(home);
  await catalogue.run("UPDATE artifacts SET used_at = used_at - ?", 2 * 3_600_000);
  await catalogue.close();
}

describe("the process", () => {
  const run = (args: string[], env: object = {}) =>
    spawn(process.execPath, [bin, ...args], { env: { ...process.env, ...env } });

  test("shows help and version, and refuses unknown commands and settings", async () => {
    await using cli = await openCli();
    assert.match((await cli.run([])).out, /Three things to try:/);
    assert.match((await cli.run(["help"])).out, /Usage: spillway <command>/);
    assert.match((await cli.run(["fetch", "--help"])).out, /--max-chars N/);
    assert.match((await cli.run(["help", "settings"])).out, /SPILLWAY_FILES_ALLOW/);
    assert.match((await cli.run(["--version"])).out, /^\d+\.\d+\.\d+\n$/);
    assert.match(JSON.parse((await cli.run(["--version", "--json"])).out).version, /^\d+\.\d+\.\d+$/);
    assert.match(JSON.parse((await cli.run(["help", "read", "--json"])).out).help, /--lines/);
    assert.equal((await cli.run(["frobnicate"])).status, 2);
    assert.equal((await cli.run(["fetch"])).status, 2);
    assert.equal((await cli.run(["fetch", "x", "--set", "nonsense"])).status, 2);
    assert.equal((await cli.run(["fetch", "x", "--set", "fit.read_chars=1"])).status, 2);
  });

  test("an error in the user's config file names its line and key, and nothing is fetched", async () => {
    await using cli = await openCli();
    await cli.write("a.txt", "a");
    await cli.write("config.jsonc", '{\n  // ours\n  "fit": { "read_chars": "lots" }\n}\n');
    const { status, err } = await cli.run(["fetch", "a.txt"], { env: { SPILLWAY_CONFIG: "config.jsonc" } });
    assert.equal(status, 1);
    assert.match(err, /config\.jsonc, line 3.*fit\.read_chars/);
  });

  test("exits quietly when the pipe is closed", async () => {
    await using cli = await openCli();
    await cli.write("big.txt", long.repeat(100));
    const child = run(["cat", join(cli.work, "big.txt")], { SPILLWAY_HOME: cli.home });
    child.stdout.once("data", () => child.stdout.destroy());
    let err = "";
    child.stderr.on("data", (chunk) => (err += chunk));
    const [code] = await once(child, "exit");
    assert.deepEqual([code, err], [0, ""]);
    assert.deepEqual(await readdir(join(cli.home, "tmp")), [], "the spool is removed too");
  });

  test("refuses a link to an endless file at once", async () => {
    await using cli = await openCli();
    execFileSync("mkfifo", [join(cli.work, "pipe")]);
    await symlink("/dev/zero", join(cli.work, "zeros.txt"));
    const { status, err } = await cli.run(["fetch", "pipe", "zeros.txt"]);
    assert.equal(status, 1);
    assert.match(err, /is a pipe[\s\S]*is a file of the kernel/);
  });

  test("stops on an interrupt and leaves no spool file", async () => {
    await using cli = await openCli();
    const child = run(["fetch", "-"], { SPILLWAY_HOME: cli.home });
    // Until the pipe has taken all of it: a write that is still waiting would fail with EPIPE when the process ends.
    await new Promise((written) => child.stdin.write("some bytes that never end ".repeat(20_000), written));
    const spooled = async () => (await readdir(join(cli.home, "tmp")).catch(() => [])).length;
    await waitUntil("the body is spooled", async () => (await spooled()) > 0);
    try {
      child.kill("SIGINT");
      const [code] = await once(child, "exit");
      assert.equal(code, 130);
      assert.equal(await spooled(), 0);
    } finally {
      child.kill("SIGKILL");
    }
  });

  test("still answers when the store is read-only", {
    skip: process.getuid?.() === 0 && "root may write anywhere",
  }, async () => {
    await using cli = await openCli();
    await cli.write("a.txt", "a");
    await cli.json("fetch", "a.txt");
    await chmod(join(cli.home, "owners"), 0o500);
    const [fields] = await cli.json("fetch", "a.txt");
    await chmod(join(cli.home, "owners"), 0o700);
    assert.equal(fields.content, "a");
  });
});

describe("spillway classify-error", () => {
  test("prints a verdict for every line, in order, and reports invalid lines", async () => {
    await using cli = await openCli();
    const lines = [
      { status: 400, headers: {}, body: '{"error":{"message":"prompt is too long: 200251 tokens > 200000 maximum"}}' },
      { status: 429, headers: {}, body: "slow down" },
      { status: 413, body: { error: { message: "Request body is 41 bytes; the limit is 33 bytes" } } },
      { streamEvent: 'event: error\ndata: {"error":{"code":"context_length_exceeded"}}\n\n' },
    ];
    const stdin = `${lines.map((line) => JSON.stringify(line)).join("\n")}\n\nnot json\n{"status":400}`;
    const { status, out, err } = await cli.run(["classify-error", "--json"], { stdin });
    const verdicts = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      verdicts.map(({ class: name, code }) => name ?? code),
      ["context_tokens", "rate_limit", "request_bytes", "context_tokens", "usage", "usage"],
    );
    assert.deepEqual(
      [verdicts[0].limit, verdicts[0].actual, verdicts[0].unit, verdicts[1].limit],
      [200_000, 200_251, "tokens", null],
    );
    assert.equal(status, 1);
    assert.match(err, /is not a provider's response/);
  });

  test("prints text without --json", async () => {
    await using cli = await openCli();
    const { out } = await cli.run(["classify-error"], {
      stdin: '{"status":400,"body":"total message size 2100954 exceeds limit 2097152"}',
    });
    assert.equal(out, "request_bytes (0.95) limit 2,097,152, actual 2,100,954, bytes\n");
  });
});

describe("spillway proxy", () => {
  test("listens at the printed address until stopped", async () => {
    await using cli = await openCli();
    const env = { ...process.env, SPILLWAY_HOME: cli.home };
    const child = spawn(process.execPath, [bin, "proxy", "--json", "--set", "proxy.port=0"], { env, cwd: cli.work });
    const [line] = await once(child.stdout, "data");
    const { url, upstreams } = JSON.parse(String(line));
    assert.deepEqual(upstreams, ["openai", "anthropic", "gemini"]);
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}$/);
    assert.equal((await fetch(`${url}/nowhere`)).status, 404);
    assert.equal((await fetch(`${new URL(url).origin}/openai/v1/models`)).status, 403);
    child.kill("SIGTERM");
    const [status] = await once(child, "exit");
    assert.equal(status, 0);
  });

  test("refuses invalid settings with a hint", async () => {
    await using cli = await openCli();
    const invalid = await cli.run(["proxy", "--set", "proxy.upstreams=x=ftp://a"]);
    assert.deepEqual([invalid.status, /name=address/.test(invalid.err)], [1, true]);
    const limits = await cli.run(["proxy", "--set", "overflow.limits=gpt-4o"]);
    assert.match(limits.err, /model=tokens/);
  });
});
