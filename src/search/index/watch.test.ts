import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { temporaryFolder } from "../../../test/bodies.ts";
import { watchFolder } from "./watch.ts";

test("watching tells of a swarm of changes once, of those in new folders too, and ends by abort", async () => {
  await using folder = await temporaryFolder();
  const stop = new AbortController();
  let swarms = 0;
  const watching = (async () => {
    for await (const _ of watchFolder(folder.path, stop.signal)) swarms++;
  })();
  await wait(100);
  for (let file = 0; file < 50; file++) writeFileSync(join(folder.path, `f${file}`), "x");
  await wait(900);
  assert.ok(swarms === 1 || swarms === 2, `${swarms} swarms`);
  mkdirSync(join(folder.path, "new"));
  await wait(600);
  const before = swarms;
  writeFileSync(join(folder.path, "new", "file"), "x");
  await wait(900);
  assert.ok(swarms > before, "a change in a new folder was not told");
  stop.abort();
  await watching;
});

test("watching tells nothing of hidden folders", async () => {
  await using folder = await temporaryFolder();
  const hidden = join(folder.path, ".data");
  mkdirSync(hidden);
  const stop = new AbortController();
  let swarms = 0;
  const watching = (async () => {
    for await (const _ of watchFolder(folder.path, stop.signal, new Set([hidden]))) swarms++;
  })();
  await wait(100);
  writeFileSync(join(hidden, "index.db"), "x");
  await wait(700);
  assert.equal(swarms, 0);
  stop.abort();
  await watching;
});
