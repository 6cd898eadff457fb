/** A source of which only the beginning is there says why, in the fetch, in every later read and on the command line. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openCli } from "./cli.ts";
import { drawLine, writePdf } from "./pdf.ts";
import { startServer } from "./server.ts";

const pages = Array.from({ length: 40 }, (_, i) => ({ content: drawLine(`Page ${i + 1} about the weir.`, 72, 720) }));
const pdf = writePdf(pages);
const half = Math.floor(pdf.length / 2);

const rows = [
  {
    title: "the size limit",
    set: ["--set", `artifacts.source_bytes=${half}`],
    cutBy: "size_limit",
    sentence: /kept: it is larger than what is kept of one source\. Raise the setting artifacts\.source_bytes/,
  },
  {
    title: "a broken download",
    set: [],
    cutBy: "connection",
    sentence: /kept: the download broke off\. Fetch it again for the rest\./,
  },
] as const;

describe("a PDF that is cut by", () => {
  for (const { title, set, cutBy, sentence } of rows) {
    test(`${title} says so, and what brings the rest`, async () => {
      await using server = await startServer((_, response) => {
        response.writeHead(200, { "content-type": "application/pdf", "content-length": pdf.length });
        if (cutBy === "connection") response.write(pdf.subarray(0, half), () => response.destroy());
        else response.end(pdf);
      });
      await using cli = await openCli();
      const env = { SPILLWAY_NETWORK_ALLOW: server.allow, SPILLWAY_NETWORK_TRIES: "1" };
      const { out } = await cli.run(["fetch", `${server.origin}/weir.pdf`, ...set, "--json"], { env });
      const fields = JSON.parse(out);
      assert.deepEqual([fields.size_bytes, fields.source_truncated], [half, true]);
      assert.match(fields.warnings.join(" "), sentence);
      assert.deepEqual([fields.error, fields.page_count], [undefined, 40]);
      assert.match(
        fields.content,
        /^<!-- page 1 -->\n\nPage 1 about the weir\.\n\n<!-- page 2 -->\n\nPage 2 about the weir\.(?:.|\n)*Page 15 about the weir\./,
      );
      assert.match(fields.warnings.join(" "), /The end of the PDF is missing .* of 40 pages cannot be read\./);
      const [record] = await cli.json("artifacts", "show", fields.artifact_ref);
      assert.equal(record.source_cut_by, cutBy);
      const [read] = await cli.json("read", fields.artifact_ref);
      assert.match(JSON.stringify(read), sentence);
      const { err, status } = await cli.run(["cat", fields.artifact_ref, "--raw"], { env });
      assert.equal(status, 1);
      assert.match(err.replaceAll(/\s+/g, " "), sentence);
    });
  }

  test("the size limit before its first page says that it is cut, not that it is corrupt", async () => {
    await using cli = await openCli();
    await cli.write("weir.pdf", pdf);
    const [fields] = await cli.json("fetch", "weir.pdf", "--set", "artifacts.source_bytes=60");
    const sentence = "Failed to extract text from PDF: cut (it is larger than what is kept of one source)";
    assert.equal(fields.error, sentence);
    assert.match(fields.warnings.join(" "), /Raise the setting artifacts\.source_bytes/);
    assert.equal((await cli.json("read", fields.artifact_ref))[0].error, sentence);
  });

  test("nothing says nothing", async () => {
    await using cli = await openCli();
    await cli.write("weir.pdf", pdf);
    const [fields] = await cli.json("fetch", "weir.pdf");
    const [record] = await cli.json("artifacts", "show", fields.artifact_ref);
    assert.deepEqual([fields.source_truncated, record.source_cut_by], [false, undefined]);
  });
});
