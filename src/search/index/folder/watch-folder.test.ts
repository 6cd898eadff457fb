import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { makeTemporaryFolder } from "../../../../test/bodies.ts";
import { watchFolder } from "./watch-folder.ts";

test("watching reports a burst of changes once, also in new folders, and ends on abort", async () => {
  await using folder = await makeTemporaryFolder();
  const stop = new AbortController();
  let bursts = 0;
  const watching = (async () => {
    for await (const _ of watchFolder(folder.path, stop.signal)) bursts++;
  })();
  await wait(100);
  for (let file = 0; file < 50; file++) writeFileSync(join(folder.path, `f${file}`), "x");
  await wait(900);
  assert.ok(bursts === 1 || bursts === 2, `${bursts} bursts`);
  mkdirSync(join(folder.path, "new"));
  await wait(600);
  const before = bursts;
  writeFileSync(join(folder.path, "new", "file"), "x");
  await wait(900);
  assert.ok(bursts > before, "a change in a new folder was not reported");
  stop.abort();
  await watching;
});

test("watching does not report changes in hidden folders", async () => {
  await using folder = await makeTemporaryFolder();
  const hidden = join(folder.path, ".data");
  mkdirSync(hidden);
  const stop = new AbortController();
  let bursts = 0;
  const watching = (async () => {
    for await (const _ of watchFolder(folder.path, stop.signal, new Set([hidden]))) bursts++;
  })();
  await wait(100);
  writeFileSync(join(hidden, "index.db"), "x");
  await wait(700);
  assert.equal(bursts, 0);
  stop.abort();
  await watching;
});
