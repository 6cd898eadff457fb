/** Item 8: a project without a path is searched as a whole, and nothing else is. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import fc from "fast-check";
import { makeTemporaryFolder } from "../../test/bodies.ts";
import { patientSearch } from "../../test/waiting.ts";
import { formatSearchBody, formatSearchSummary, searchNotices } from "../answer/search-reply.ts";
import { defaultSettings, type Settings } from "../config/settings.ts";
import type { CodeResult, SearchReply } from "../contract/search-fields.ts";
import { makeBudget } from "../fit/budget.ts";
import { openSession, type SessionOptions } from "../session/session.ts";
import { cancelIndexingJob, getIndexingStatus, indexRepository, searchCode, startIndexJob } from "./search.ts";
import type { SearchInput } from "./search-input.ts";

type Files = Readonly<Record<string, string>>;

/** Opens a session whose current folder, `elsewhere`, is in no project. */
async function openWork(settings: Partial<Settings> = {}, more: SessionOptions = {}) {
  const folder = await makeTemporaryFolder();
  const home = join(folder.path, "home");
  const all = { ...defaultSettings, ...patientSearch, home, "search.refresh_every": 0, ...settings };
  const cwd = join(folder.path, "elsewhere");
  mkdirSync(cwd);
  writeFileSync(join(cwd, "here.ts"), "const needle = here;\n");
  const session = await openSession({ settings: all, cwd, ...more });
  const rootOf = (name: string) => join(folder.path, name);

  function write(name: string, files: Files): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(rootOf(name), path)), { recursive: true });
      writeFileSync(join(rootOf(name), path), text);
    }
  }
  return {
    session,
    folder: folder.path,
    rootOf,
    write,
    async index(project_id: string, name: string, files: Files = {}) {
      write(name, files);
      const job = await startIndexJob({ repo_path: rootOf(name), project_id }, session);
      return (await job.waitForEnd()).repository_id;
    },
    search: (query: string, input: Partial<SearchInput> = {}) => searchCode({ query, ...input }, session),
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const placeOf = ({ repository, file_path }: CodeResult): string => `${repository}/${file_path}`;
const placesOf = ({ results }: SearchReply): string[] => results.map(placeOf);

describe("item 8: a search of a project without a path", () => {
  test("finds files of all its repositories, says which, and does not index the current folder", async () => {
    await using work = await openWork();
    const ids = [
      await work.index("shop", "web", { "src/a.ts": "const needle = 1;\n" }),
      await work.index("shop", "api", { "src/a.ts": "const needle = 2;\n", "b.ts": "const other = 1;\n" }),
    ];
    await work.index("bank", "vault", { "c.ts": "const needle = 3;\n" });
    const reply = await work.search("needle", { project_id: "shop" });
    assert.deepEqual(placesOf(reply).sort(), [`${work.rootOf("api")}/src/a.ts`, `${work.rootOf("web")}/src/a.ts`]);
    assert.deepEqual(reply.results.map(({ repository_id }) => repository_id).sort(), ids.toSorted());
    const { project_id, database_name, repository_id, repositories, total_count, next_cursor } = reply;
    assert.deepEqual([project_id, database_name, repository_id, total_count], ["shop", "shop", null, 2]);
    assert.deepEqual([repositories, next_cursor, reply.indexing], [{ searched: 2, skipped: 0 }, null, undefined]);
    assert.equal(reply.truncation_info.actual_chars, JSON.stringify(reply).length);
    assert.ok(Date.parse(reply.indexed_at ?? "") > 0);
    const indexes = readdirSync(join(work.session.searchFolder ?? "", "shop"));
    assert.deepEqual(indexes.sort(), ids.toSorted(), "no other folder was indexed into the project");
    assert.ok(!existsSync(join(work.session.searchFolder ?? "", "default")));
    assert.match(formatSearchSummary(reply), /^Found 2 results in 2 repositories \(project shop\), best first\.$/);
    assert.ok(formatSearchBody(reply, "testword").includes(`src/a.ts:1-1 (in ${work.rootOf("web")})`));
  });

  test("of one repository says which too, and a named folder narrows it", async () => {
    await using work = await openWork();
    const id = await work.index("shop", "web", { "a.ts": "const needle = 1;\n" });
    const reply = await work.search("needle", { project_id: "shop" });
    assert.deepEqual([placesOf(reply), reply.repository_id], [[`${work.rootOf("web")}/a.ts`], id]);
    await work.index("shop", "api", { "b.ts": "const needle = 1;\n" });
    const narrowed = await work.search("needle", { project_id: "shop", dir: work.rootOf("api") });
    assert.deepEqual(
      narrowed.results.map((each) => [each.file_path, each.repository]),
      [["b.ts", undefined]],
    );
    assert.equal(narrowed.repositories, undefined);
  });

  test("ranks as if all files were in one index, for any files and any query", async () => {
    await using work = await openWork();
    const words = ["gauge", "spill", "level", "weir", "readLevel", "config", "cfg"];
    const anyWord = fc.constantFrom(...words);
    const anyText = fc
      .tuple(anyWord, fc.array(fc.array(anyWord, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 30 }))
      .map(([name, lines]) => `function ${name}() {\n${lines.map((line) => `  ${line.join(".")};`).join("\n")}\n}\n`);
    const anyFiles = fc.array(fc.tuple(anyWord, anyText, fc.nat({ max: 3 })), { minLength: 1, maxLength: 16 });
    const anyQuery = fc.array(anyWord, { minLength: 1, maxLength: 3 }).map((list) => list.join(" "));
    let round = 0;
    await fc.assert(
      fc.asyncProperty(anyFiles, anyQuery, async (files, query) => {
        round += 1;
        const [split, joined] = [`split${round}`, `joined${round}`];
        for (const [index, [word, text, share]] of files.entries()) {
          const file = { [`${word}/f${index}.ts`]: text };
          work.write(`${split}-${share}`, file);
          work.write(joined, file);
        }
        const shares = [...new Set(files.map(([, , share]) => share))];
        for (const share of shares) await work.index(split, `${split}-${share}`);
        await work.index(joined, joined);
        const all = { limit: 50, explain: true };
        const merged = await work.search(query, { ...all, project_id: split });
        const whole = await work.search(query, { ...all, project_id: joined, dir: work.rootOf(joined) });
        const rows = ({ results }: SearchReply) =>
          results.map(({ file_path, similarity_score, content, explain, spans }) => {
            return { file_path, similarity_score, content, explain, spans };
          });
        assert.deepEqual(rows(merged), rows(whole));
        const singles = await Promise.all(
          shares.map((share) =>
            work.search(query, { ...all, project_id: split, dir: work.rootOf(`${split}-${share}`) }),
          ),
        );
        const union = singles.flatMap(({ results }) => results.map(({ file_path }) => file_path)).sort();
        assert.deepEqual(
          merged.results.map(({ file_path }) => file_path).sort(),
          union,
          "the union of single searches",
        );
        const scores = merged.results.map(({ similarity_score }) => similarity_score);
        assert.deepEqual(
          scores,
          scores.toSorted((one, other) => other - one),
        );
        assert.ok(scores.every((score) => score >= 0 && score <= 1));
      }),
      { numRuns: 12 },
    );
  });

  test("does not let a repository that hardly matches rank beside one that matches well", async () => {
    await using work = await openWork();
    const order = "export function parseOrder(text) {\n  return order.parse(text);\n}\n";
    await work.index("shop", "good", { "src/order.ts": order, "src/x.ts": "const value = 1;\n" });
    for (let number = 0; number < 5; number++) {
      await work.index("shop", `weak${number}`, { "notes.ts": "// text\nconst value = 1;\n" });
    }
    const { results } = await work.search("parseOrder text", { project_id: "shop" });
    assert.equal(placeOf(results[0] ?? assert.fail()), `${work.rootOf("good")}/src/order.ts`);
    assert.ok((results[0]?.similarity_score ?? 0) > 2 * (results[1]?.similarity_score ?? 1));
  });

  test("gives every result once and in the same order when continued with the cursor, within any budget", async () => {
    await using work = await openWork({ "search.context_lines": 5 });
    for (let number = 0; number < 4; number++) {
      const files = Array.from({ length: 9 }, (_, file) => [
        `f${file}.ts`,
        `const needle${file} = needle;\n`.repeat(9),
      ]);
      await work.index("shop", `r${number}`, Object.fromEntries(files));
    }
    const whole = await work.search("needle", { project_id: "shop", limit: 50 });
    const places: string[] = [];
    let cursor: string | null = "c_0";
    for (let page = 0; page < 40 && cursor !== null; page++) {
      const input = { query: "needle", project_id: "shop", limit: 7, cursor };
      const reply: SearchReply = await searchCode(input, work.session, { budget: makeBudget({ default: 4_000 }) });
      assert.ok(JSON.stringify(reply).length <= 4_000);
      assert.deepEqual(
        [reply.returned_count, reply.truncation_info.original_count],
        [reply.results.length, reply.total_count],
      );
      places.push(...placesOf(reply));
      cursor = reply.next_cursor;
    }
    assert.deepEqual([places, new Set(places).size], [placesOf(whole), 36]);
  });

  test("filters, counts and marks stale files in all repositories", async () => {
    await using work = await openWork({ "search.refresh_every": 3_600_000 });
    await work.index("shop", "web", { "src/a.ts": "const needle = 1;\n", "lib/a.py": "needle = 1\n" });
    await work.index("shop", "api", { "src/b.ts": "const needle = 1;\n" });
    const filtered = async (input: Partial<SearchInput>) => {
      const reply = await work.search("needle", { project_id: "shop", ...input });
      return [reply.filtered_files, reply.results.map(({ file_path }) => file_path).sort()];
    };
    assert.deepEqual(await filtered({ file_type: "ts" }), [2, ["src/a.ts", "src/b.ts"]]);
    assert.deepEqual(await filtered({ directory: "lib" }), [1, ["lib/a.py"]]);
    assert.deepEqual(await filtered({ directory: join(work.rootOf("api"), "src") }), [1, ["src/b.ts"]]);
    assert.deepEqual(await filtered({ directory: "none" }), [0, []]);
    await assert.rejects(filtered({ directory: work.folder }), /outside the repository/);
    work.write("api", { "src/b.ts": "const changed = 1;\n" });
    const stale = await work.search("needle", { project_id: "shop" });
    assert.deepEqual(stale.stale_files, [`${work.rootOf("api")}/src/b.ts`]);
    assert.match(searchNotices(stale).join(), /Changed since they were indexed: 1 file/);
  });

  test("finds changes in every repository, also where there is time for one only", async () => {
    await using work = await openWork();
    for (const name of ["web", "api", "lib"]) await work.index("shop", name, { "a.ts": "const value = 1;\n" });
    for (const name of ["web", "api", "lib"]) work.write(name, { "new.ts": "const needle = 1;\n" });
    assert.equal((await work.search("needle", { project_id: "shop" })).total_count, 3);
    for (const name of ["web", "api", "lib"]) work.write(name, { "newer.ts": "const later = 1;\n" });
    const hurried = { ...work.session, settings: { ...work.session.settings, "search.refresh_wait": 0 } };
    const reply = await searchCode({ query: "later", project_id: "shop" }, hurried);
    assert.match(searchNotices(reply).join(), /still being checked for changes/);
    const complete = await searchCode({ query: "later", project_id: "shop" }, hurried, { complete: true });
    assert.deepEqual([complete.total_count, complete.indexing], [3, undefined]);
  });

  test("skips repositories whose folder is gone or may not be read, says so, and keeps their index", async () => {
    await using work = await openWork();
    await work.index("shop", "web", { "a.ts": "const needle = 1;\n" });
    const gone = await work.index("shop", "gone", { "b.ts": "const needle = 1;\n" });
    rmSync(work.rootOf("gone"), { recursive: true });
    const reply = await work.search("needle", { project_id: "shop" });
    assert.deepEqual(placesOf(reply), [`${work.rootOf("web")}/a.ts`]);
    assert.deepEqual([reply.repositories?.searched, reply.repositories?.skipped], [1, 1]);
    assert.match(
      searchNotices(reply).join(),
      /1 repository of the project could not be searched: .*gone does not exist\./,
    );
    await assert.rejects(work.search("needle", { repository_id: gone }), /does not exist/);
    work.write("gone", { "b.ts": "const needle = 1;\n" });
    assert.equal((await work.search("needle", { project_id: "shop" })).total_count, 2);
    const confined = { ...work.session, roots: [work.rootOf("web")] };
    const refused = await searchCode({ query: "needle", project_id: "shop" }, confined);
    assert.deepEqual([refused.total_count, refused.repositories?.skipped], [1, 1]);
    assert.ok(!JSON.stringify(refused).includes(work.rootOf("gone")), "no path outside the roots is shown");
    const outside = { ...work.session, roots: [join(work.folder, "elsewhere")] };
    await assert.rejects(
      searchCode({ query: "needle", project_id: "shop" }, outside),
      /outside the folders that may be read/,
    );
  });

  test("answers although one repository cannot be indexed, and names it", async () => {
    await using work = await openWork();
    await work.index("shop", "web", { "a.ts": "const needle = 1;\n" });
    await work.index("shop", "empty", { "b.ts": "const needle = 1;\n" });
    rmSync(join(work.rootOf("empty"), "b.ts"));
    const reply = await work.search("needle", { project_id: "shop" });
    assert.equal(placesOf(reply)[0], `${work.rootOf("web")}/a.ts`);
    assert.match(reply.indexing?.error ?? "", /^empty: No files to index in/);
  });

  test("works in memory too", async () => {
    await using work = await openWork({}, { inMemory: true });
    const id = await work.index("shop", "web", { "a.ts": "const needle = 1;\n" });
    await work.index("shop", "api", { "b.ts": "const needle = 1;\n" });
    await work.index("bank", "vault", { "c.ts": "const needle = 1;\n" });
    assert.equal((await work.search("needle", { project_id: "shop" })).total_count, 2);
    assert.equal((await work.search("needle", { repository_id: id })).total_count, 1);
  });

  test("of more repositories than are kept open finds all, with a bounded number of open files", async () => {
    await using work = await openWork();
    for (let number = 0; number < 70; number++) {
      await work.index("many", `r${number}`, { "a.ts": `const needle${number} = needle;\n`.repeat(20) });
    }
    const places: string[] = [];
    for (const cursor of ["c_0", "c_50"]) {
      places.push(...placesOf(await work.search("needle", { project_id: "many", limit: 50, cursor })));
    }
    assert.deepEqual([places.length, new Set(places).size], [70, 70]);
    assert.equal(placesOf(await work.search("needle33", { project_id: "many" }))[0], `${work.rootOf("r33")}/a.ts`);
    if (existsSync("/proc/self/fd")) assert.ok(countOpenIndexes(work.folder) <= 64);
  });

  test("of a project without repositories, or of an unknown one, is an error that says what to do", async () => {
    await using work = await openWork();
    await work.index("bank", "vault", { "b.ts": "const needle = 1;\n" });
    await assert.rejects(work.search("needle", { project_id: "shop" }), {
      code: "project_not_found",
      hint: 'There are: "bank". Index a repository into it first, or omit project_id.',
    });
    mkdirSync(join(work.session.searchFolder ?? "", "shop"), { recursive: true });
    await assert.rejects(work.search("needle", { project_id: "shop" }), {
      code: "repository_not_found",
      message: 'Project "shop" has no repository.',
      hint: "Index a folder into it first, with its project_id.",
    });
    assert.deepEqual(readdirSync(join(work.session.searchFolder ?? "", "shop")), []);
  });
});

function countOpenIndexes(folder: string): number {
  const targets = readdirSync("/proc/self/fd").flatMap((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`);
    } catch {
      return []; // The descriptor that lists the folder.
    }
  });
  return targets.filter((target) => target.startsWith(folder) && target.endsWith("index.db")).length;
}

describe("a project file of a folder", () => {
  const evil = { ".spillway/project.json": '{"project_id": "shop"}', "evil.ts": "const needle = evil;\n" };

  test("cannot add the folder to a project of other folders; the default one is used, and the reply says so", async () => {
    await using work = await openWork();
    await work.index("shop", "web", { "a.ts": "const needle = 1;\n" });
    work.write("clone/sub", { "b.ts": "const needle = 2;\n" });
    work.write("clone", evil);
    for (const dir of [work.rootOf("clone"), work.rootOf("clone/sub")]) {
      const reply = await work.search("needle", { dir });
      assert.deepEqual([reply.project_id, reply.returned_count > 0], ["default", true]);
      assert.match(
        reply.project_problem ?? "",
        /project\.json names "shop", a project of other folders, so the project "default" is used\./,
      );
      assert.ok(searchNotices(reply).includes(reply.project_problem ?? ""));
    }
    const job = await startIndexJob({ repo_path: work.rootOf("clone") }, work.session);
    const { project_id, project_problem, job_id } = await job.waitForEnd();
    assert.equal(project_id, "default");
    assert.match(project_problem ?? "", /"default" is used/);
    assert.equal((await getIndexingStatus({ job_id }, work.session)).status, "completed");
    const places = placesOf(await work.search("needle", { project_id: "shop" }));
    assert.deepEqual(places, [`${work.rootOf("web")}/a.ts`], "nothing of the clone is in the project");
  });

  test("may name a new project, and one that the user has added the folder to", async () => {
    await using work = await openWork();
    work.write("clone", evil);
    const dir = work.rootOf("clone");
    for (let time = 0; time < 2; time++) {
      const reply = await work.search("needle", { dir });
      assert.deepEqual([reply.project_id, reply.project_problem], ["shop", undefined]);
    }
    await work.index("shop", "web", { "a.ts": "const needle = 1;\n" });
    assert.equal((await work.search("needle", { dir })).project_id, "shop");
    await work.index("bank", "vault", { "a.ts": "const needle = 1;\n" });
    work.write("clone", { ".spillway/project.json": '{"project_id": "bank"}' });
    assert.equal((await work.search("needle", { dir })).project_id, "default");
    await work.index("bank", "clone");
    assert.equal((await work.search("needle", { dir })).project_id, "bank");
  });

  test("is held to the same rule where indexes are in memory", async () => {
    await using work = await openWork();
    const session = { ...work.session, searchFolder: null };
    work.write("web", { "a.ts": "const needle = 1;\n" });
    work.write("clone", evil);
    await (await startIndexJob({ repo_path: work.rootOf("web"), project_id: "shop" }, session)).waitForEnd();
    const reply = await searchCode({ query: "needle", dir: work.rootOf("clone") }, session);
    assert.equal(reply.project_id, "default");
  });
});

test("indexing that is refused makes no project", async () => {
  for (const confined of [false, true]) {
    await using work = await openWork({}, { confined });
    const dir = confined ? work.folder : work.rootOf("missing");
    await assert.rejects(indexRepository({ repo_path: dir, project_id: "shop" }, work.session));
    await assert.rejects(work.search("needle", { project_id: "shop" }), { code: "project_not_found" });
  }
});

describe("item 8: a repository_id alone", () => {
  test("finds the project that has it, whatever the project is called", async () => {
    await using work = await openWork();
    for (const project of ["shop", "Team.Äpfel"]) {
      const id = await work.index(project, `of-${project}`, { "a.ts": "const needle = 1;\n" });
      const reply = await work.search("needle", { repository_id: id.toUpperCase() });
      assert.deepEqual([reply.project_id, reply.repository_id, reply.total_count], [project, id, 1]);
    }
  });

  test("in several projects is an error that names them, and its hint works", async () => {
    await using work = await openWork();
    const id = await work.index("shop", "web", { "a.ts": "const needle = 1;\n" });
    await work.index("bank", "web");
    await assert.rejects(work.search("needle", { repository_id: id }), {
      message: `Repository ${id} is in 2 projects: "bank", "shop".`,
      hint: "Name one of them, for example project_id=bank.",
    });
    assert.equal((await work.search("needle", { repository_id: id, project_id: "bank" })).project_id, "bank");
    work.write("elsewhere", { ".spillway/project.json": '{"project_id": "shop"}' });
    assert.equal((await work.search("needle", { repository_id: id })).project_id, "shop");
  });

  test("in another project than the one named is an error that names it, and its hint works", async () => {
    await using work = await openWork();
    const id = await work.index("shop", "web", { "a.ts": "const needle = 1;\n" });
    await work.index("bank", "vault", { "b.ts": "const needle = 1;\n" });
    await assert.rejects(work.search("needle", { repository_id: id, project_id: "bank" }), {
      code: "repository_not_found",
      message: `No repository ${id} in project "bank"; it is in "shop".`,
      hint: "Send project_id=shop, or omit project_id.",
    });
    const unknown = id.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
    await assert.rejects(work.search("needle", { repository_id: unknown }), /No repository .* in any project\./);
    await assert.rejects(work.search("needle", { repository_id: id, project_id: "none" }), {
      code: "project_not_found",
    });
  });

  test("never finds what another owner has indexed", async () => {
    await using work = await openWork();
    const id = await work.index("shop", "web", { "a.ts": "const needle = 1;\n" });
    await using other = await openSession({ settings: work.session.settings, cwd: work.session.cwd, owner: "someone" });
    await assert.rejects(searchCode({ query: "needle", repository_id: id }, other), /in any project/);
    await assert.rejects(searchCode({ query: "needle", project_id: "shop" }, other), { code: "project_not_found" });
  });
});

test("item 8: a job of another project is not shown, and the error names its project", async () => {
  await using work = await openWork();
  work.write("web", { "a.ts": "const needle = 1;\n" });
  const { job_id } = await indexRepository({ repo_path: work.rootOf("web"), project_id: "shop" }, work.session);
  const job = await startIndexJob({ repo_path: work.rootOf("web"), project_id: "shop" }, work.session);
  await job.waitForEnd();
  const expected = { code: "job_not_found", hint: "It is a job of another project: send project_id=shop." };
  await assert.rejects(getIndexingStatus({ job_id }, work.session), expected);
  await assert.rejects(cancelIndexingJob({ job_id }, work.session), expected);
  assert.equal((await getIndexingStatus({ job_id, project_id: "shop" }, work.session)).status, "completed");
});
