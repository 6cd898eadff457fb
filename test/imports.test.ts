import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { dirname, join, normalize, sep } from "node:path";
import { before, test } from "node:test";

/** The folders from top to bottom; a file may import from its own line and from those below. */
const floors = [
  ["surfaces", "index.ts", "testing.ts"],
  ["tools"],
  ["verbs", "search", "overflow", "web", "models"],
  ["answer"],
  ["load", "sites", "clones"],
  ["session"],
  ["extract"],
  ["artifacts", "retrieval"],
  ["catalogue"],
  ["contract"],
  ["acquire", "detect", "fit"],
  ["telemetry"],
  ["config"],
  ["errors.ts", "system", "version.ts"],
];

/** A static, dynamic or type import of another file of ours. */
const relativeImport = /(?:from|import\() ?"(\.[^"]+)"/g;

const root = join(import.meta.dirname, "..", "src");

/** All our files, by their paths below src/. */
const sources = new Map<string, string>();
before(async () => {
  for await (const file of glob("**/*.ts", { cwd: root })) sources.set(file, await readFile(join(root, file), "utf8"));
});

const isTest = (file: string): boolean => /\.(test|contract)\.ts$/.test(file);

const floorOf = (path: string): number => {
  const room = path.split(sep)[0] ?? "";
  const floor = floors.findIndex((rooms) => rooms.includes(room));
  assert.ok(floor >= 0, `${path} is in no listed folder: add its folder to the list`);
  return floor;
};

test("imports point down the list, never up", () => {
  let checked = 0;
  for (const [file, source] of sources) {
    if (isTest(file)) continue;
    for (const [, target = ""] of source.matchAll(relativeImport)) {
      const imported = normalize(join(dirname(file), target));
      assert.ok(floorOf(file) <= floorOf(imported), `${file} imports ${imported}, which is above it`);
      checked++;
    }
  }
  assert.ok(checked > 100, `only ${checked} imports seen`);
});

/** What each room or file of a folder imports from its neighbours there. */
type Neighbours = Map<string, Set<string>>;

function readNeighbours(): ReadonlyMap<string, Neighbours> {
  const folders = new Map<string, Neighbours>();
  for (const [file, source] of sources) {
    if (isTest(file)) continue;
    for (const [, target = ""] of source.matchAll(relativeImport)) {
      const [from, to] = [file.split(sep), normalize(join(dirname(file), target)).split(sep)];
      const depth = from.findIndex((name, index) => name !== to[index]);
      const folder = join("src", ...from.slice(0, depth));
      const neighbours = folders.get(folder) ?? new Map<string, Set<string>>();
      folders.set(folder, neighbours);
      const [importer = "", imported = ""] = [from[depth], to[depth]];
      neighbours.set(importer, (neighbours.get(importer) ?? new Set()).add(imported));
    }
  }
  return folders;
}

/** Everything that a room or file imports, directly or through its neighbours. */
function reachableFrom(start: string, neighbours: Neighbours): ReadonlySet<string> {
  const reached = new Set<string>();
  const waiting = [start];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop())
    for (const imported of neighbours.get(name) ?? []) {
      if (reached.has(imported)) continue;
      reached.add(imported);
      waiting.push(imported);
    }
  return reached;
}

test("no room of a folder imports in a circle with its neighbours, types included", () => {
  const folders = readNeighbours();
  let rooms = 0;
  for (const [folder, neighbours] of folders) {
    for (const room of [...neighbours.keys()].filter((name) => !name.endsWith(".ts"))) {
      const reached = reachableFrom(room, neighbours);
      const circle = [...reached].filter((name) => reachableFrom(name, neighbours).has(room));
      assert.deepEqual(circle, [], `${folder}: ${room} imports what imports it`);
      rooms++;
    }
  }
  assert.ok(rooms > 30, `only ${rooms} rooms seen`);
});

test("contract/ declares types and nothing that runs", () => {
  for (const [file, source] of sources) {
    if (!file.startsWith("contract")) continue;
    for (const [statement] of source.matchAll(/^(?:import|export)\b.*/gm)) {
      assert.match(statement, /^(?:import|export) type /, `${file}: ${statement}`);
    }
  }
});

test("search and overflow take only sentences from answer/, no types", () => {
  for (const [file, source] of sources) {
    if (!/^(?:search|overflow)\b/.test(file)) continue;
    for (const [statement] of source.matchAll(/import[^;]*from "[^"]*\/answer\/[^"]*"/g)) {
      assert.doesNotMatch(statement, /\btype\b/, `${file}: ${statement}`);
    }
  }
});

test("no file is deeper than three folders", () => {
  for (const file of sources.keys()) assert.ok(file.split(sep).length <= 4, file);
});

test("the AI SDK is imported by the runner and by models/ alone", () => {
  for (const [file, source] of sources) {
    if (file.startsWith(join("surfaces", "runner")) || file.startsWith("models") || /\.test\.ts$/.test(file)) continue;
    assert.doesNotMatch(source, /from "(ai|@ai-sdk\/[^"]+)"|import\("(ai|@ai-sdk\/[^"]+)"\)/, file);
  }
});

test("the protocol's SDK is imported by its surfaces alone, and by no other command", () => {
  const rooms = [join("surfaces", "mcp"), join("surfaces", "serve", "mcp")];
  for (const [file, source] of sources) {
    if (rooms.some((room) => file.startsWith(room)) || /\.test\.ts$/.test(file)) continue;
    assert.ok(!source.includes('"@modelcontextprotocol/'), file);
  }
  const loaded = new Set<string>();
  function load(file: string): void {
    if (loaded.has(file)) return;
    loaded.add(file);
    const source = sources.get(file) ?? assert.fail(`${file} is imported and missing`);
    for (const [, target = ""] of source.matchAll(/^(?:import|export)[^;]*?from "(\.[^"]+\.ts)"/gm)) {
      load(normalize(join(dirname(file), target)));
    }
  }
  load(join("surfaces", "cli", "process.ts"));
  load("index.ts");
  const runner = [...loaded].filter((file) => file.startsWith(join("surfaces", "runner")));
  assert.deepEqual(runner, []);
  const protocol = [...loaded].filter((file) => rooms.some((room) => file.startsWith(room)));
  assert.deepEqual(protocol, [join("surfaces", "mcp", "stdout.ts")]);
  assert.ok(loaded.size > 50, `only ${loaded.size} files seen`);
});

test("contract suites and simulators are imported by tests and spillway/testing alone", () => {
  const isTestCode = (file: string) => /\.(test|contract|simulator)\.ts$|^testing\.ts$|simulators?\.ts$/.test(file);
  for (const [file, source] of sources) {
    if (isTestCode(file)) continue;
    for (const [, target = ""] of source.matchAll(relativeImport)) {
      assert.ok(!isTestCode(normalize(join(dirname(file), target))), `${file} imports ${target}`);
    }
  }
});
