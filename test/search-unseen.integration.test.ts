/** The recipe of the bench that takes queries from comments and commits of any clone. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { commitQueries, lineQueries, unseenClones } from "../bench/search-unseen.ts";
import { makeTemporaryFolder } from "./bodies.ts";

const before = `import { clock } from "./clock.ts";

export const limit = 3;

`;
const comment = "/** Waits until the gate is open for everybody. */\n";
const code = `export async function waitForGate(gate: Gate): Promise<void> {
  while (!gate.isOpen) await clock.tick();
  gate.count();
}
`;

function makeClone(parent: string): string {
  const folder = join(parent, "gates");
  mkdirSync(join(folder, "src"), { recursive: true });
  const git = (...words: string[]) =>
    execFileSync("git", ["-C", folder, "-c", "user.name=A", "-c", "user.email=a@example.com", ...words], {
      stdio: "pipe",
    });
  git("init", "-q");
  writeFileSync(join(folder, "src/gate.ts"), before + code);
  git("add", ".");
  git("commit", "-qm", "start");
  writeFileSync(join(folder, "src/gate.ts"), before + comment + code);
  git("commit", "-qam", "Say what the gate is waiting for");
  return folder;
}

test("a comment is a query for the code that it described, in a copy without the comment", async () => {
  await using parent = await makeTemporaryFolder();
  const clone = makeClone(parent.path);
  using set = lineQueries(clone);
  assert.deepEqual(set.queries, [
    {
      query: "Waits until the gate is open for everybody.",
      category: "span",
      targets: [{ path: "src/gate.ts", start: 5, end: 8 }],
    },
  ]);
  const copy = readFileSync(join(set.folder, "src/gate.ts"), "utf8");
  assert.equal(copy, before + code);
  assert.equal(copy.split("\n")[4], code.split("\n")[0], "the lines are those of the copy");
  assert.match(readFileSync(join(clone, "src/gate.ts"), "utf8"), /Waits until/, "the clone stays as it is");
});

test("the subject of a commit is a query for the files that it changed", async () => {
  await using parent = await makeTemporaryFolder();
  const { queries } = commitQueries(makeClone(parent.path));
  assert.deepEqual(
    queries.map(({ query, targets }) => ({ query, targets })),
    [{ query: "Say what the gate is waiting for", targets: [{ path: "src/gate.ts" }] }],
  );
});

test("clones are the folders with a history", async () => {
  await using parent = await makeTemporaryFolder();
  const clone = makeClone(parent.path);
  mkdirSync(join(parent.path, "other"));
  assert.deepEqual(unseenClones(parent.path), [clone]);
});
