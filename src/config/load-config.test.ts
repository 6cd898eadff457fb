import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { SpillwayError } from "../errors.ts";
import { describeProblem } from "./config-problem.ts";
import { type LoadedConfig, type LoadOptions, loadConfig, requireValid } from "./load-config.ts";
import { defaultSettings } from "./settings.ts";

let root = "";
before(async () => {
  root = await mkdtemp(join(tmpdir(), "spillway-config-"));
});
after(() => rm(root, { recursive: true, force: true }));

/** A home with a project in it, each with the config file that is given. */
async function machine(files: { user?: string | Uint8Array; project?: string | Uint8Array } = {}) {
  const homeDir = await mkdtemp(join(root, "home-"));
  const cwd = join(homeDir, "project");
  const userPath = join(homeDir, ".config", "spillway", "config.jsonc");
  const projectPath = join(cwd, ".spillway", "config.jsonc");
  await mkdir(join(cwd, ".git"), { recursive: true });
  if (files.user !== undefined) await put(userPath, files.user);
  if (files.project !== undefined) await put(projectPath, files.project);
  const load = (options: Partial<LoadOptions> = {}) =>
    loadConfig({ cwd, env: {}, homeDir, platform: "linux", ...options });
  return { homeDir, cwd, userPath, projectPath, load };
}

async function put(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

function onlyProblem({ problems }: LoadedConfig) {
  const [problem] = problems;
  assert.ok(problem !== undefined && problems.length === 1, problems.map(describeProblem).join("\n"));
  return problem;
}

test("without any source, all settings are at their defaults", async () => {
  const { load, userPath, projectPath } = await machine();
  const loaded = await load();
  assert.deepEqual(loaded.settings, defaultSettings);
  assert.ok(Object.values(loaded.origins).every((origin) => origin === "default"));
  assert.deepEqual(loaded.problems, []);
  assert.deepEqual(loaded.files, [
    { path: userPath, owner: "user", exists: false },
    { path: projectPath, owner: "project", exists: false },
  ]);
  assert.equal(requireValid(loaded), loaded.settings);
});

test("each source wins over the ones before it: user, project, environment, flags", async () => {
  const user = `{"fit.inline_chars": 13000, "fit.read_chars": 13000, "fit.excerpt_chars": 13000, "search.context_lines": 1}`;
  const project = `{"fit": {"read_chars": 12000, "excerpt_chars": 12000}, "search": {"context_lines": 2}}`;
  const { load, userPath, projectPath } = await machine({ user, project });
  const env = { SPILLWAY_FIT_EXCERPT_CHARS: "14_000", SPILLWAY_SEARCH_CONTEXT_LINES: "3" };
  const { settings, origins, problems } = await load({ env, flags: { "search.context_lines": "4" } });
  assert.deepEqual(problems, []);
  assert.equal(settings["fit.inline_chars"], 13_000);
  assert.deepEqual(origins["fit.inline_chars"], { file: userPath });
  assert.equal(settings["fit.read_chars"], 12_000);
  assert.deepEqual(origins["fit.read_chars"], { file: projectPath });
  assert.equal(settings["fit.excerpt_chars"], 14_000);
  assert.equal(origins["fit.excerpt_chars"], "environment");
  assert.equal(settings["search.context_lines"], 4);
  assert.equal(origins["search.context_lines"], "flag");
});

test("comments, trailing commas, $schema, a byte order mark and both forms of a key are welcome", async () => {
  const user = `\uFEFF// mine
  {
    "$schema": "./config.schema.json",
    "artifacts": { "keep": "30d", "source_bytes": "1 GiB", }, /* nested */
    "runner.enable_filetype_ingest_router": false, // dotted
  }`;
  const { settings, problems } = await (await machine({ user })).load();
  assert.deepEqual(problems, []);
  assert.equal(settings["artifacts.keep"], 30 * 86_400_000);
  assert.equal(settings["artifacts.source_bytes"], 1024 ** 3);
  assert.equal(settings["runner.enable_filetype_ingest_router"], "off");
});

test("the address of a collector without a scheme is refused with a hint", async () => {
  const { load } = await machine({ user: `{"otel.endpoint": "localhost:4318"}` });
  const { settings, problems } = await load();
  assert.match(problems[0]?.sentence ?? "", /otel\.endpoint must be an address of http or https\.$/);
  assert.match(problems[0]?.hint ?? "", /with its scheme, such as http:/);
  assert.equal(settings["otel.endpoint"], null);
  const corrected = await load({ env: { SPILLWAY_OTEL_ENDPOINT: "http://localhost:4318" } });
  assert.equal(corrected.settings["otel.endpoint"], "http://localhost:4318");
});

test("relative paths start at the folder of the file, or at the working directory", async () => {
  const { load, userPath, cwd, homeDir } = await machine({ user: `{"home": "store", "files.allow": ["~/notes"]}` });
  const fromFile = await load();
  assert.equal(fromFile.settings.home, join(dirname(userPath), "store"));
  assert.deepEqual(fromFile.settings["files.allow"], [join(homeDir, "notes")]);
  const fromOutside = await load({ env: { SPILLWAY_HOME: "store" }, flags: { "files.allow": "a,b" } });
  assert.equal(fromOutside.settings.home, join(cwd, "store"));
  assert.deepEqual(fromOutside.settings["files.allow"], [join(cwd, "a"), join(cwd, "b")]);
});

test("null resets a setting without a default, and an empty variable counts as unset", async () => {
  const { load } = await machine({ user: `{"run": null, "events.runs": 7}` });
  const { settings, problems } = await load({ env: { SPILLWAY_EVENTS_RUNS: "", SPILLWAY_HOME: " " } });
  assert.deepEqual(problems, []);
  assert.equal(settings.run, null);
  assert.equal(settings["events.runs"], 7);
});

const badFiles: readonly {
  name: string;
  text: string;
  at?: [line: number, column: number];
  says: RegExp;
  hint: RegExp;
}[] = [
  {
    name: "a missing comma",
    text: '{\n  "run": "a"\n  "home": "b"\n}',
    at: [3, 3],
    says: /a comma is expected/,
    hint: /Fix it/,
  },
  { name: "a missing brace", text: '{"run": "a"', at: [1, 12], says: /closing } is missing/, hint: /Fix it/ },
  {
    name: "a bare size",
    text: '{"artifacts.keep_bytes": 64 MiB}',
    at: [1, 29],
    says: /not allow/,
    hint: /go in quotes/,
  },
  { name: "single quotes", text: "{'run': 'a'}", at: [1, 2], says: /not allow/, hint: /Fix it/ },
  { name: "a Windows path", text: '{"home": "C:\\data"}', at: [1, 10], says: /double the backslashes/, hint: /Fix it/ },
  { name: "two objects", text: "{} {}", at: [1, 4], says: /more after the end/, hint: /Fix it/ },
  { name: "an open comment", text: "/* x", at: [1, 1], says: /comment is not closed/, hint: /Fix it/ },
  { name: "a list instead of an object", text: "\n[]", at: [2, 1], says: /one object is expected/, hint: /Fix it/ },
  { name: "lists nested without end", text: "[".repeat(60_000), says: /nested too deeply/, hint: /Fix it/ },
  { name: "a huge file", text: `{}${" ".repeat(70_000)}`, says: /has 70002 bytes/, hint: /Shorten/ },
  {
    name: "an unknown key",
    text: '{\r\n\r\n "colour": 1}',
    at: [3, 2],
    says: /no setting "colour"/,
    hint: /help settings/,
  },
  {
    name: "a misspelt key",
    text: '{"fit": {"inline_char": 1}}',
    at: [1, 10],
    says: /"fit\.inline_char"/,
    hint: /mean fit\.inline_chars\?/,
  },
  {
    name: "a key of every object",
    text: '{"__proto__": {"run": "a"}}',
    at: [1, 2],
    says: /no setting "__proto__"/,
    hint: /./,
  },
  { name: "a method's name as a key", text: '{"toString": 1}', at: [1, 2], says: /no setting "toString"/, hint: /./ },
  { name: "an empty key", text: '{"": 1}', at: [1, 2], says: /no setting ""/, hint: /./ },
  {
    name: "a group that is not an object",
    text: '{"fit": 3}',
    at: [1, 2],
    says: /fit is a group/,
    hint: /"fit\.inline_chars"/,
  },
  {
    name: "a wrong type",
    text: '{"events.runs": "many"}',
    at: [1, 2],
    says: /events\.runs must be a whole number/,
    hint: /30_000/,
  },
  { name: "an object for a value", text: '{"events.runs": {"a": 1}}', at: [1, 2], says: /not an object/, hint: /./ },
  {
    name: "a deep list item",
    text: '{"files.allow": [["a"]]}',
    at: [1, 2],
    says: /wrong item 1, which must be text/,
    hint: /./,
  },
  {
    name: "too small a number",
    text: '{"fit.read_chars": 1}',
    at: [1, 2],
    says: /at least 1,000, not 1/,
    hint: /from 1,000 to 100,000/,
  },
  {
    name: "too large a number",
    text: '{"fit.read_chars": 1e5, "fit.inline_chars": 100001}',
    at: [1, 25],
    says: /at most 100,000/,
    hint: /100,000/,
  },
  {
    name: "a key written twice",
    text: '{"events.runs": 1,\n"events": {"runs": 2}}',
    at: [2, 12],
    says: /twice \(first on line 1\)/,
    hint: /Remove/,
  },
];

for (const { name, text, at, says, hint } of badFiles) {
  test(`${name} in a file is a problem with its place`, async () => {
    const { load, userPath } = await machine({ user: text });
    const loaded = await load();
    const problem = onlyProblem(loaded);
    assert.match(problem.sentence, says);
    assert.match(problem.hint, hint);
    assert.deepEqual(
      problem.place,
      at === undefined ? { file: userPath } : { file: userPath, line: at[0], column: at[1] },
    );
  });
}

test("a problem costs one setting, and it falls back to the next lower source", async () => {
  const user = `{"search.context_lines": 7, "fit.read_chars": 6000}`;
  const project = `{"search.context_lines": -1, "fit.read_chars": 5000}`;
  const { load, userPath } = await machine({ user, project });
  const loaded = await load();
  assert.equal(onlyProblem(loaded).key, "search.context_lines");
  assert.equal(loaded.settings["search.context_lines"], 7);
  assert.deepEqual(loaded.origins["search.context_lines"], { file: userPath });
  assert.equal(loaded.settings["fit.read_chars"], 5_000);
});

test("a file with a syntax error is ignored as a whole", async () => {
  const { load } = await machine({ user: `{"events.runs": 7, "run": }` });
  const loaded = await load();
  onlyProblem(loaded);
  assert.deepEqual(loaded.settings, defaultSettings);
});

for (const [key, value] of [
  ["home", '"/srv/evil"'],
  ["run", '"evil"'],
  ["files.allow", '["/"]'],
]) {
  test(`a project's file may not set ${key}`, async () => {
    const loaded = await (await machine({ project: `{"${key}": ${value}}` })).load();
    const problem = onlyProblem(loaded);
    assert.match(problem.sentence, /may not be set by a project's file/);
    assert.match(problem.hint, /SPILLWAY_/);
    assert.deepEqual(loaded.settings, defaultSettings);
  });
}

test("an empty file, or one of comments only, sets nothing and is not a problem", async () => {
  const { settings, problems } = await (await machine({ user: "", project: "// later\n" })).load();
  assert.deepEqual(problems, []);
  assert.deepEqual(settings, defaultSettings);
});

test("a file that is not UTF-8 is a problem", async () => {
  const { load } = await machine({ user: Buffer.from(`\uFEFF{"run": "a"}`, "utf16le") });
  assert.match(onlyProblem(await load()).hint, /UTF-8/);
});

test("a folder in the file's place is a problem", async () => {
  const { load, userPath } = await machine();
  await mkdir(userPath, { recursive: true });
  const loaded = await load();
  assert.match(onlyProblem(loaded).sentence, /is a folder/);
  assert.equal(loaded.files[0]?.exists, true);
});

test("a link that leads in a circle is a problem that gives the system's reason", async () => {
  const { load, userPath } = await machine();
  await mkdir(dirname(userPath), { recursive: true });
  await symlink(userPath, userPath);
  assert.match(onlyProblem(await load()).sentence, /cannot be read \(ELOOP\)/);
});

const mayReadAll = process.getuid?.() === 0 || process.platform === "win32";
test("a file without permission to read is a problem", { skip: mayReadAll }, async () => {
  const { load, userPath } = await machine({ user: "{}" });
  await chmod(userPath, 0);
  assert.match(onlyProblem(await load()).sentence, /cannot be read \(EACCES\)/);
});

test("SPILLWAY_CONFIG names the user's file, relative to the working directory", async () => {
  const { load, cwd } = await machine({ user: `{"events.runs": 7}` });
  await put(join(cwd, "mine.jsonc"), `{"events.runs": 8, "run": "a"}`);
  const loaded = await load({ env: { SPILLWAY_CONFIG: "mine.jsonc" } });
  assert.deepEqual(loaded.problems, []);
  assert.equal(loaded.settings["events.runs"], 8);
  assert.equal(loaded.settings.run, "a");
});

test("a file named by SPILLWAY_CONFIG must exist, and the usual place is not used instead", async () => {
  const { load, cwd } = await machine({ user: `{"events.runs": 7}` });
  for (const [path, says] of [
    ["gone.jsonc", `There is no config file ${join(cwd, "gone.jsonc")}.`],
    ["~bob/mine.jsonc", 'SPILLWAY_CONFIG names another user\'s home, "~bob", which is not looked up.'],
  ] as const) {
    const loaded = await load({ env: { SPILLWAY_CONFIG: path } });
    assert.equal(onlyProblem(loaded).sentence, says);
    assert.equal(loaded.settings["events.runs"], defaultSettings["events.runs"]);
  }
});

test("SPILLWAY_CONFIG=/dev/null means no file of the user's", { skip: process.platform === "win32" }, async () => {
  const { load } = await machine({ user: `{"events.runs": 7}` });
  const loaded = await load({ env: { SPILLWAY_CONFIG: "/dev/null" } });
  assert.deepEqual(loaded.problems, []);
  assert.deepEqual(loaded.settings, defaultSettings);
});

test("a project's file that the user names as their own is read once, as theirs", async () => {
  const { load, projectPath } = await machine({ project: `{"run": "a"}` });
  const loaded = await load({ env: { SPILLWAY_CONFIG: projectPath } });
  assert.deepEqual(loaded.problems, []);
  assert.equal(loaded.settings.run, "a");
});

test("the project's file is found from a folder below, and not beyond the repository", async () => {
  const { load, cwd, homeDir } = await machine({ project: `{"search.context_lines": 9}` });
  const below = join(cwd, "src", "deep");
  assert.equal((await load({ cwd: below })).settings["search.context_lines"], 9);
  const inner = join(cwd, "vendor", "inner");
  await mkdir(join(inner, ".git"), { recursive: true });
  const loaded = await load({ cwd: join(inner, "src") });
  assert.equal(loaded.settings["search.context_lines"], defaultSettings["search.context_lines"]);
  assert.equal(loaded.files.at(-1)?.path, join(inner, ".spillway", "config.jsonc"));
  assert.ok(!loaded.files.some(({ path }) => path === join(homeDir, ".spillway", "config.jsonc")));
});

test("the project's file is not looked for above the user's home", async () => {
  const { load, cwd } = await machine({ project: `{"search.context_lines": 9}` });
  const inside = join(cwd, "ada", "notes");
  const loaded = await load({ cwd: inside, homeDir: join(cwd, "ada") });
  assert.equal(loaded.settings["search.context_lines"], defaultSettings["search.context_lines"]);
});

const badVariables: readonly { name: string; env: Record<string, string>; says: RegExp; hint: RegExp }[] = [
  { name: "unknown", env: { SPILLWAY_COLOUR: "1" }, says: /no variable "SPILLWAY_COLOUR"/, hint: /help settings/ },
  {
    name: "misspelt",
    env: { SPILLWAY_FIT_INLINE_CHAR: "1" },
    says: /no variable/,
    hint: /SPILLWAY_FIT_INLINE_CHARS\?/,
  },
  {
    name: "without its group",
    env: { SPILLWAY_INLINE_CHARS: "1" },
    says: /no variable/,
    hint: /SPILLWAY_FIT_INLINE_CHARS\?/,
  },
  { name: "a misspelt SPILLWAY_CONFIG", env: { SPILLWAY_CONFG: "1" }, says: /no variable/, hint: /SPILLWAY_CONFIG\?/ },
  {
    name: "out of range",
    env: { SPILLWAY_EVENTS_RUNS: "0" },
    says: /events\.runs must be at least 1/,
    hint: /at least 1/,
  },
  { name: "without a unit", env: { SPILLWAY_ARTIFACTS_KEEP: "14" }, says: /needs a unit of time/, hint: /"14d"/ },
];

for (const { name, env, says, hint } of badVariables) {
  test(`a variable that is ${name} is a problem`, async () => {
    const loaded = await (await machine()).load({ env });
    const problem = onlyProblem(loaded);
    assert.match(problem.sentence, says);
    assert.match(problem.hint, hint);
    assert.deepEqual(problem.place, { variable: Object.keys(env)[0] });
    assert.deepEqual(loaded.settings, defaultSettings);
  });
}

test("foreign variables, and the two that are not settings, are not a problem", async () => {
  const env = { PATH: "/bin", spillway_home: "/x", SPILLWAY: "1", SPILLWAY_CORPUS: "/corpus" };
  assert.deepEqual((await (await machine()).load({ env })).problems, []);
});

test("the case of a variable does not count on Windows", async () => {
  const { load } = await machine();
  const { settings } = await load({ platform: "win32", env: { Spillway_Events_Runs: "5" } });
  assert.equal(settings["events.runs"], 5);
});

test("a flag that is unknown or wrong is a problem", async () => {
  const { load } = await machine();
  const loaded = await load({ flags: { "events.run": "5", "events.runs": "" } });
  assert.deepEqual(loaded.problems.map(describeProblem), [
    '--set events.run: There is no setting "events.run".',
    '--set events.runs: events.runs must be a whole number, not "".',
  ]);
  assert.equal(loaded.problems[0]?.hint, "Did you mean events.runs?");
});

test("requireValid names file, line and key of the first problem and counts the others", async () => {
  const { load, userPath } = await machine({ user: '{\n  "events.runs": 0,\n  "fit.read_chars": 1\n}' });
  const loaded = await load({ env: { SPILLWAY_COLOUR: "1" } });
  assert.throws(
    () => requireValid(loaded),
    (error) =>
      error instanceof SpillwayError &&
      error.code === "config_invalid" &&
      error.message === `${userPath}, line 2, column 3: events.runs must be at least 1, not 0. (2 more problems.)` &&
      error.hint === "Accepted: at least 1.",
  );
});

test("no file and no variable, whatever they hold, makes loading throw", async () => {
  const { load, userPath } = await machine();
  const json = fc.json().map((text) => `{"files": ${text}, "fit.read_chars": ${text}}`);
  const content = fc.oneof(fc.uint8Array(), fc.string({ unit: "binary" }), fc.json(), json);
  await fc.assert(
    fc.asyncProperty(content, fc.string(), async (bytes, text) => {
      await put(userPath, bytes);
      const { settings, problems } = await load({
        env: { SPILLWAY_FILES_ALLOW: text },
        flags: { "artifacts.keep": text },
      });
      assert.deepEqual(Object.keys(settings), Object.keys(defaultSettings));
      for (const problem of problems) assert.ok(describeProblem(problem).length < 1_000);
    }),
  );
});

test("headers by host are read from a file and from a variable, nested or dotted", async () => {
  const headers = { "wiki.example.com": { Authorization: "Bearer $TOKEN", Cookie: "a=1" } };
  const { load } = await machine({ user: `{"network": {"headers": ${JSON.stringify(headers)}}}` });
  assert.deepEqual((await load()).settings["network.headers"], headers);
  const env = { SPILLWAY_NETWORK_HEADERS: JSON.stringify({ "b.example": { Cookie: "x" } }) };
  assert.deepEqual((await load({ env })).settings["network.headers"], { "b.example": { Cookie: "x" } });
});

test("the network's lists and headers are not for a project's file", async () => {
  const project = `{"network.allow": ["127.0.0.1"], "network.headers": {"a.example": {"Cookie": "x"}}}`;
  const { settings, problems } = await (await machine({ project })).load();
  assert.deepEqual([settings["network.allow"], settings["network.headers"], problems.length], [[], {}, 2]);
});

test("the allow list is written as the specification shows it", async () => {
  const { load } = await machine();
  const loaded = await load({ env: { SPILLWAY_NETWORK_ALLOW: "127.0.0.1:8080,10.0.0.0/8,wiki.example.com" } });
  assert.deepEqual(loaded.problems, []);
  assert.deepEqual(loaded.settings["network.allow"], ["127.0.0.1:8080", "10.0.0.0/8", "wiki.example.com"]);
});
