import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, test } from "node:test";
import fc from "fast-check";
import { makeTemporaryFolder } from "../../../test/bodies.ts";
import { hashedVector, startEmbeddings } from "../../../test/embeddings.ts";
import { patientSearch } from "../../../test/waiting.ts";
import { searchNotices } from "../../answer/search-reply.ts";
import { defaultSettings, type Settings } from "../../config/settings.ts";
import { openSession } from "../../session/session.ts";
import { searchCode, startIndexJob } from "../search.ts";
import { createVectorTable, packVectors } from "./vectors.ts";

async function openWork(settings: Partial<Settings> = {}) {
  const service = await startEmbeddings();
  const folder = await makeTemporaryFolder();
  const root = join(folder.path, "work");
  mkdirSync(root);
  const log: string[] = [];
  let aheadMs = 0;
  const base = {
    ...defaultSettings,
    ...patientSearch,
    home: join(folder.path, "home"),
    "search.refresh_every": 0,
    "network.tries": 1,
    "search.embed_url": `${service.origin}/v1/embeddings`,
    "search.embed_model": "hashed",
  };
  const sessionWith = (more: Partial<Settings>) =>
    openSession({
      settings: { ...base, ...settings, ...more },
      cwd: root,
      env: {},
      now: () => Date.now() + aheadMs,
      log: (line) => void log.push(line),
    });
  const session = await sessionWith({});
  return {
    service,
    session,
    sessionWith,
    log,
    write: (path: string, text: string) => writeFileSync(join(root, path), text),
    index: async (by = session) => (await startIndexJob({}, by)).waitForVectors(),
    search: (query: string, by = session) => searchCode({ query, explain: true }, by),
    passMinutes: (minutes: number) => {
      aheadMs += minutes * 60_000;
    },
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

type Work = Awaited<ReturnType<typeof openWork>>;

function writeRiver(work: Work): void {
  work.write("gate.ts", "function lower(weir) {\n  return weir.close();\n}\n");
  work.write("paint.ts", "function colour(wall) {\n  return wall.brush();\n}\n");
  work.write("count.ts", "function total(items) {\n  return items.sum();\n}\n");
}

describe("embeddings", () => {
  test("item 8: rank the files of several repositories by one scale, or none of them", async () => {
    await using work = await openWork();
    const roots = ["river", "house"].map((name) => join(work.session.cwd, "..", name));
    const [river = "", house = ""] = roots;
    for (const root of roots) mkdirSync(root);
    writeFileSync(join(house, "paint.ts"), "function colour(wall) {\n  return wall.brush();\n}\n");
    writeFileSync(join(river, "gate.ts"), "function lower(weir) {\n  return weir.close();\n}\n");
    for (const repo_path of roots) {
      await (await startIndexJob({ repo_path, project_id: "land" }, work.session)).waitForVectors();
    }
    const search = () => searchCode({ query: "barrage", project_id: "land", explain: true }, work.session);
    const both = await search();
    assert.deepEqual([both.results[0]?.file_path, both.embedding?.problem], ["gate.ts", null]);
    const nearest = both.results.map(({ explain }) => explain?.meaning ?? 0);
    assert.ok((nearest[0] ?? 0) > 2 * (nearest[1] ?? 0), nearest.join());
    work.service.override = (response) => {
      response.statusCode = 500;
      response.end();
      return true;
    };
    const third = join(work.session.cwd, "..", "garden");
    mkdirSync(third);
    writeFileSync(join(third, "bed.ts"), "function dig(soil) {\n  return soil.turn();\n}\n");
    await (await startIndexJob({ repo_path: third, project_id: "land" }, work.session)).waitForVectors();
    const words = await search();
    assert.match(words.embedding?.problem ?? "", /^garden: The index has no vectors yet\.$/);
    assert.ok(words.results.every(({ explain }) => explain?.meaning === undefined));
  });

  test("are off by default: nothing is sent, and a reply does not mention them", async () => {
    await using work = await openWork({ "search.embed_url": null });
    writeRiver(work);
    assert.deepEqual(await work.index(), { files: 0, problem: null });
    assert.equal((await work.search("lower the weir")).embedding, undefined);
    assert.equal(work.service.inputs.length, 0);
  });

  for (const path of ["/v1/embeddings", "/api/embed", "/api/embeddings"]) {
    test(`of ${path} find what words do not`, async () => {
      await using work = await openWork();
      const session = await work.sessionWith({ "search.embed_url": `${work.service.origin}${path}` });
      writeRiver(work);
      assert.deepEqual(await work.index(session), { files: 3, problem: null });
      const reply = await work.search("barrage", session);
      assert.deepEqual(reply.embedding, { model: "hashed", problem: null });
      const [best = assert.fail()] = reply.results;
      assert.equal(best.file_path, "gate.ts");
      assert.ok((best.explain?.meaning ?? 0) > 0 && best.similarity_score <= 1);
      assert.match(best.content, /weir/);
      await session[Symbol.asyncDispose]();
    });
  }

  test("are requested with the headers that the user set for the host of the service", async () => {
    await using work = await openWork();
    writeRiver(work);
    const headers = { [work.service.origin]: { Authorization: "Bearer key" } };
    await using session = await work.sessionWith({ "network.headers": headers });
    assert.equal((await work.index(session)).files, 3);
    const [first] = work.service.requests;
    assert.deepEqual(
      [first?.headers.authorization, first?.headers["content-type"]],
      ["Bearer key", "application/json"],
    );
  });

  test("do not displace what words find", async () => {
    await using work = await openWork();
    writeRiver(work);
    await work.index();
    assert.equal((await work.search("total items sum")).results[0]?.file_path, "count.ts");
  });

  test("are made once, in batches, again for a changed file, and from where a failure stopped them", async () => {
    await using work = await openWork({ "search.embed_batch": 10 });
    for (let file = 0; file < 100; file++) work.write(`f${file}.ts`, `const weir${file} = 1;\n`);
    let remaining = 5;
    work.service.override = (response) => remaining-- <= 0 && Boolean(response.writeHead(500).end());
    const failedFill = await work.index();
    assert.ok(
      failedFill.files > 0 && failedFill.files < 100 && /500/.test(failedFill.problem ?? ""),
      JSON.stringify(failedFill),
    );
    assert.match(work.log.join(), /warning: code was not embedded/);
    work.service.override = undefined;
    assert.deepEqual(
      await work.index(),
      { files: 0, problem: null },
      "a service that failed is not asked again for a while",
    );
    work.passMinutes(1);
    const inputsBefore = work.service.inputs.length;
    assert.deepEqual(await work.index(), { files: 100 - failedFill.files, problem: null });
    const texts = work.service.inputs.slice(inputsBefore).flatMap(({ input = [] }) => input);
    assert.equal(texts.length, 100 - failedFill.files);
    assert.ok(work.service.inputs.every(({ input = [] }) => input.length <= 10));
    work.write("f7.ts", "const changed = 1;\n");
    assert.deepEqual(await work.index(), { files: 1, problem: null });
  });

  test("of two models are never mixed", async () => {
    await using work = await openWork();
    writeRiver(work);
    await work.index();
    const other = await work.sessionWith({ "search.embed_model": "other" });
    work.service.override = (response) => Boolean(response.writeHead(500).end());
    const before = await work.search("barrage", other);
    assert.match(before.embedding?.problem ?? "", /vectors of hashed, which are not mixed/);
    assert.match(searchNotices(before).join(), /Ranked by words alone/);
    await work.index(other);
    work.passMinutes(1);
    work.service.override = undefined;
    work.service.dimensions = 32;
    assert.deepEqual(await work.index(other), { files: 3, problem: null });
    assert.deepEqual((await work.search("barrage", other)).embedding, { model: "other", problem: null });
    assert.match((await work.search("barrage")).embedding?.problem ?? "", /vectors of other/);
    await other[Symbol.asyncDispose]();
  });

  const responses: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
    "an error": (response) => response.writeHead(503).end(),
    "no JSON": (response) => response.end("<html>"),
    "another shape": (response) => response.end('{"data":"none"}'),
    "too few vectors": (response) => response.end('{"data":[]}'),
    "no numbers": (response) => response.end('{"data":[{"index":0,"embedding":["x"]}]}'),
    "an endless vector": (response) => response.end(`{"data":[{"index":0,"embedding":[${"0,".repeat(9_000)}0]}]}`),
    "a redirect": (response) => response.writeHead(307, { location: "http://127.0.0.1:1/elsewhere" }).end(),
    "a vector of another length": (response) => response.end('{"data":[{"index":0,"embedding":[1,2]}]}'),
    silence: () => undefined,
  };
  for (const [name, answer] of Object.entries(responses)) {
    test(`a service that answers with ${name} does not break a search or slow the next one`, async () => {
      await using work = await openWork({ "search.embed_wait": 200 });
      writeRiver(work);
      await work.index();
      work.service.override = (response) => {
        answer(response);
        return true;
      };
      const reply = await work.search(`lower the weir ${name}`);
      assert.equal(reply.results[0]?.file_path, "gate.ts");
      assert.ok(reply.embedding?.problem, name);
      assert.ok(reply.truncation_info.actual_chars === JSON.stringify(reply).length);
      const inputsBefore = work.service.inputs.length;
      await work.search(`colour the wall ${name}`);
      if (name !== "a vector of another length") assert.equal(work.service.inputs.length, inputsBefore);
    });
  }

  test("an invalid address, and one that network.deny names, are reported and break nothing", async () => {
    await using work = await openWork();
    writeRiver(work);
    await work.index();
    for (const [settings, problem] of [
      [{ "search.embed_url": "ftp://x/y" }, /not the address of a service/],
      [{ "search.embed_url": "http://user:key@127.0.0.1/v1" }, /not the address of a service/],
      [{ "network.deny": ["127.0.0.1"] }, /network\.deny/],
    ] as const) {
      await using session = await work.sessionWith(settings);
      work.passMinutes(1);
      const reply = await work.search("a new question about the weir", session);
      assert.match(reply.embedding?.problem ?? "", problem);
      assert.equal(reply.results[0]?.file_path, "gate.ts");
    }
  });

  test("allow requests to the service alone: a fetch from the same host is still refused", async () => {
    await using work = await openWork();
    writeRiver(work);
    await work.index();
    const opened = work.session.network?.open(new URL(`${work.service.origin}/v1/embeddings`), {
      prefers: "source",
      signal: work.session.signal,
    });
    await assert.rejects(opened ?? assert.fail(), /is not fetched/);
  });
});

describe("a table of vectors", () => {
  test("finds the nearest as exact numbers would, within the precision of a byte", () => {
    const vector = fc.array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: 16, maxLength: 16 });
    fc.assert(
      fc.property(fc.array(vector, { minLength: 1, maxLength: 40 }), vector, (vectors, query) => {
        const table = createVectorTable(16);
        for (const [id, each] of vectors.entries()) table.add(id, packVectors([Float32Array.from(each)]));
        const nearest = table.nearest(Float32Array.from(query), 5, () => true);
        for (const { fileId, cosine } of nearest) {
          assert.ok(Math.abs(cosine - exactCosine(vectors[fileId] ?? [], query)) < 0.03);
        }
        const best = Math.max(...vectors.map((each) => exactCosine(each, query)));
        assert.ok(best - exactCosine(vectors[nearest[0]?.fileId ?? 0] ?? [], query) < 0.03);
      }),
    );
  });

  test("ignores files that do not count, and bytes of another length", () => {
    const table = createVectorTable(64);
    const toVector = (text: string) => Float32Array.from(hashedVector(text));
    for (const [id, text] of ["weir", "wall", "weir gate"].entries()) table.add(id, packVectors([toVector(text)]));
    table.add(9, Uint8Array.of(1, 2, 3));
    assert.equal(table.rows(), 3);
    const near = table.nearest(toVector("dam"), 2, (id) => id !== 0);
    assert.deepEqual(
      near.map(({ fileId }) => fileId),
      [2, 1],
    );
  });
});

function exactCosine(one: readonly number[], other: readonly number[]): number {
  const dot = one.reduce((sum, number, index) => sum + number * (other[index] ?? 0), 0);
  const size = Math.hypot(...one) * Math.hypot(...other);
  return size === 0 ? 0 : dot / size;
}
