import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { JobRecord } from "../src/contract/indexing-job.ts";
import type { SearchReply } from "../src/contract/search-fields.ts";
import { findTool } from "../src/tools/tools.ts";
import { openMcp, type Revision } from "./mcp.ts";
import { waitUntil } from "./waiting.ts";

const revisions: readonly Revision[] = ["2026-07-28", "2025-11-25"];

type Result = { content: { text?: string }[]; structuredContent: unknown; isError?: boolean };

async function writeCode(folder: string, files: number): Promise<void> {
  await mkdir(join(folder, "src"), { recursive: true });
  for (let file = 0; file < files; file++) {
    const body = "  return weigh(level, spill);\n".repeat(20);
    await writeFile(join(folder, "src", `part${file}.ts`), `export function readGauge${file}(level) {\n${body}}\n`);
  }
}

for (const revision of revisions) {
  describe(`code search for a client of revision ${revision}`, () => {
    async function open(more: Parameters<Awaited<ReturnType<typeof openMcp>>["client"]>[1] = {}, files = 40) {
      const mcp = await openMcp();
      await writeCode(mcp.work, files);
      const client = await mcp.client(revision, { ...more, env: { SPILLWAY_MCP_FORM: "both" } });
      const ajv = new Ajv2020({ strict: false });
      async function call<T>(name: string, input: Record<string, unknown>) {
        const result = (await client.callTool({ name, arguments: input })) as unknown as Result;
        const { output } = findTool(name) ?? assert.fail(name);
        assert.ok(ajv.validate(output, result.structuredContent), JSON.stringify(ajv.errors));
        const text = result.content[0]?.text ?? "";
        return { text, fields: result.structuredContent as T, isError: result.isError === true };
      }
      return { mcp, client, call, [Symbol.asyncDispose]: mcp[Symbol.asyncDispose] };
    }

    test("answers with whole results that fit the client, and counts them for Prometheus", async () => {
      await using opened = await open({ name: "Visual Studio Code" });
      const { call, client } = opened;
      const metrics = async () => {
        const [content] = (await client.readResource({ uri: "metrics://prometheus" })).contents;
        const text = content && "text" in content ? content.text : assert.fail("no text");
        return (name: string) => Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1] ?? Number.NaN);
      };
      const before = await metrics();
      assert.equal(before("spillway_search_truncated_total"), 0);
      const { fields, text } = await call<SearchReply>("search_code", { query: "read gauge", limit: 30 });
      assert.ok(fields.truncated && fields.returned_count < 30 && fields.returned_count > 0);
      assert.equal(fields.truncation_info.actual_chars, JSON.stringify(fields).length);
      assert.ok(Buffer.byteLength(JSON.stringify(fields)) + Buffer.byteLength(text) <= 8_192);
      assert.ok(text.includes(`cursor=${fields.next_cursor}`));
      const after = await metrics();
      assert.equal(after("spillway_search_truncated_total"), 1);
      assert.equal(after("spillway_search_utilization_ratio_count"), 1);
      assert.ok(after("spillway_search_utilization_ratio_average") > 0.5);
      assert.equal(after("spillway_search_truncation_ratio_sum"), (30 - fields.returned_count) / 30);
    });

    test("indexes as a job that can be followed and cancelled", async () => {
      await using opened = await open({}, 5);
      const { call } = opened;
      const { fields: job } = await call<JobRecord>("index_repository", { repo_path: ".", project_id: "water" });
      const jobInput = { job_id: job.job_id, project_id: "water" };
      let status = job.status;
      await waitUntil("the job ends", async () => {
        status = (await call<JobRecord>("get_indexing_status", jobInput)).fields.status;
        return !["pending", "running"].includes(status);
      });
      assert.equal(status, "completed");
      assert.equal((await call<JobRecord>("cancel_indexing", jobInput)).fields.status, "completed");
      const reply = await call<SearchReply>("search_code", { query: "read gauge", project_id: "water" });
      assert.equal(reply.fields.returned_count, 5);
      const alone = await call<SearchReply>("search_code", {
        query: "read gauge",
        repository_id: reply.fields.results[0]?.repository_id,
      });
      assert.deepEqual([alone.fields.project_id, alone.fields.returned_count], ["water", 5]);
      assert.match((await call("search_code", { query: " " })).text, /^Search query cannot be empty\n/);
    });

    test("item 8: searches every repository of a project, and not the working directory", async () => {
      await using opened = await open({}, 3);
      const { mcp, call } = opened;
      for (const name of ["web", "api"]) {
        await mkdir(join(mcp.work, name), { recursive: true });
        await writeFile(join(mcp.work, name, "gauge.ts"), "export function readGauge(level) {}\n");
        const { fields } = await call<JobRecord>("index_repository", { repo_path: name, project_id: "shop" });
        const jobInput = { job_id: fields.job_id, project_id: "shop" };
        await waitUntil(`${name} is indexed`, async () => {
          return (await call<JobRecord>("get_indexing_status", jobInput)).fields.status === "completed";
        });
      }
      const { fields, text } = await call<SearchReply>("search_code", { query: "readGauge", project_id: "shop" });
      assert.deepEqual(fields.results.map(({ repository }) => repository).sort(), [
        join(mcp.work, "api"),
        join(mcp.work, "web"),
      ]);
      assert.deepEqual([fields.repository_id, fields.repositories], [null, { searched: 2, skipped: 0 }]);
      assert.match(text, /^Found 2 results in 2 repositories \(project shop\), best first\.\n/);
      assert.ok(text.includes(`(in ${join(mcp.work, "web")})`));
    });

    test("searches only folders below the client's roots", async () => {
      const outside = await openMcp();
      await using _outside = outside;
      await writeCode(outside.work, 3);
      await using rooted = await open({ roots: [pathToFileURL(outside.work).href] }, 2);
      const input = { query: "read gauge", repo_path: outside.work };
      assert.equal((await rooted.call<SearchReply>("search_code", input)).fields.returned_count, 3);
      await using rootless = await open({}, 2);
      const refused = await rootless.call("search_code", input);
      assert.ok(refused.isError && /outside the folders/.test(refused.text));
    });
  });
}

describe("the log of the server", () => {
  test("reports a truncated reply: a notification without the query, and a line on standard error with its beginning", async () => {
    await using mcp = await openMcp();
    await writeCode(mcp.work, 60);
    const server = mcp.lines();
    await server.open("2025-11-25", "vscode");
    const input = { query: "read gauge secretive", limit: 50 };
    const [notification] = await Promise.all([
      server.next(({ method }) => method === "notifications/message"),
      server.request("tools/call", { name: "search_code", arguments: input }),
    ]);
    const { level, data } = notification.params as { level: string; data: string };
    assert.equal(level, "warning");
    assert.match(data, /^Results truncated: \d+\/50 results fit in 7,782 character limit\. For more: /);
    assert.ok(server.received.every((line) => JSON.parse(line)));
    assert.match(
      server.stderr(),
      /warning: search results truncated: query="read gauge secretive" reason=character_limit/,
    );
  });
});
