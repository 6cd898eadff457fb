import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { defaultSettings } from "../../src/config/settings.ts";
import { findProject } from "../../src/search/repository/choose-project.ts";
import { openRepository } from "../../src/search/repository/repository.ts";
import { segmentsOf } from "../../src/search/repository/repository-segments.ts";
import { searchCode, startIndexJob } from "../../src/search/search.ts";
import { openSession } from "../../src/session/session.ts";
import { makeTemporaryFolder } from "../bodies.ts";
import { soakCount } from "../soak.ts";

const KILLS = soakCount({ sample: 25, full: 200 });
const WRITERS = 2;
const FILES = 400;

test(`${KILLS} kills over ${WRITERS} indexers leave no bad state, and the next run completes`, async (t) => {
  await using folder = await makeTemporaryFolder();
  const [home, root] = [join(folder.path, "home"), join(folder.path, "root")];
  mkdirSync(root);
  for (let file = 0; file < FILES; file++) change(root, file, 0);
  let killed = 0;

  async function work(): Promise<void> {
    while (killed < KILLS) {
      const child = spawn(process.execPath, [join(import.meta.dirname, "indexer.ts"), home, root], {
        stdio: ["ignore", "pipe", 2],
      });
      const closed = once(child, "close");
      await once(child.stdout ?? assert.fail("no output"), "data");
      // Any moment will do.
      await wait(randomInt(250));
      for (let each = 0; each < 30; each++) change(root, randomInt(FILES), killed);
      child.kill("SIGKILL");
      assert.deepEqual(await closed, [null, "SIGKILL"], "the process ended on its own");
      killed++;
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, work));

  await using session = await openSession({
    settings: { ...defaultSettings, home, "search.refresh_every": 0 },
    cwd: root,
  });
  const { status, error } = await (await startIndexJob({}, session)).waitForEnd();
  assert.deepEqual([status, error], ["completed", null]);
  const project = findProject({
    explicit: undefined,
    startFolder: root,
    home: session.searchFolder,
    scope: session,
    create: false,
  });
  using held = await openRepository(project, root, undefined);
  const { store, folder: indexFolder, reader } = held.repository;
  const names = readdirSync(root).sort();
  const stored = store.files().sort((one, other) => (one.path < other.path ? -1 : 1));
  assert.deepEqual(
    stored.map(({ path }) => path),
    names,
  );
  for (const { id, path } of stored) assert.equal(store.text(id)?.text, readFileSync(join(root, path), "utf8"), path);
  assert.equal((await reader.load(segmentsOf(held.repository, session))).view.liveFiles, names.length);
  const database = new DatabaseSync(join(indexFolder ?? "", "index.db"), { readOnly: true });
  assert.equal(database.prepare("PRAGMA integrity_check").get()?.integrity_check, "ok");
  database.close();
  const { results } = await searchCode({ query: `value${FILES - 1}` }, session);
  assert.equal(
    results[0]?.file_path,
    names.find((name) => name.startsWith(`f${FILES - 1}.`)),
  );
  const { segments } = store.snapshot();
  const left = (await Array.fromAsync(session.store.objects.list("segments/"))).length - segments.length;
  t.diagnostic(`${killed} kills, ${store.generation()} generations, ${left} segments left over`);
});

function change(root: string, file: number, round: number): void {
  const path = join(root, `f${file}.ts`);
  const isDeleted = round > 0 && file % 11 === 0 && randomInt(2) === 0;
  if (isDeleted) {
    rmSync(path, { force: true });
    return;
  }
  writeFileSync(
    path,
    `export function value${file}(order: Order) {\n  return ${round} + order.total;\n}\n`.repeat(1 + randomInt(40)),
  );
}
