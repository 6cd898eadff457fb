/** Counts of processes that are killed, several of them at once. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, test } from "node:test";
import { readLargest, readOutcomes } from "../src/catalogue/outcome-rows.ts";
import { readUsage } from "../src/catalogue/usage-rows.ts";
import { defaultSettings } from "../src/config/settings.ts";
import { openSession, type Session } from "../src/session/session.ts";
import { listLogs, readEvents } from "../src/telemetry/event-log.ts";
import { makeTemporaryFolder } from "./bodies.ts";

const openOn = (home: string) => openSession({ settings: { ...defaultSettings, home, run: "reader" }, cwd: home });

/** How many events a run has logged. */
const countLogged = async ({ eventFolder }: Session, run: string) =>
  (await readEvents(eventFolder, run)).filter(({ event }) => event === "gateway.bounded").length;

async function countByRun({ store, settleUsage }: Session): Promise<Readonly<Record<string, number>>> {
  await settleUsage();
  const { catalogue, ownerId: owner } = store;
  const groups = await readUsage(catalogue, { owner, by: "run", since: "" });
  const outcomes = await readOutcomes(catalogue, { owner, events: ["gateway.bounded"], since: "", by: "run" });
  const counts = Object.fromEntries(groups.map(({ name, usage }) => [name, usage.replies]));
  assert.deepEqual(Object.fromEntries(outcomes.map(({ name, count }) => [name, count])), counts);
  return counts;
}

/** Starts a process that emits, and kills it when it has said this number. Returns the last number that it said. */
async function emitUntilKilled(home: string, run: string, killAt: number): Promise<number> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "usage-child.ts"), home, run]);
  const exited = once(child, "exit");
  let said = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    said = Number(line);
    if (said === killAt) child.kill("SIGKILL");
  }
  await exited;
  return said;
}

describe("usage of processes that are killed", () => {
  test("has every event that was logged and none that was not emitted, once", async () => {
    await using folder = await makeTemporaryFolder();
    const home = folder.path;
    const kills = [3, 700, 5_000, 20_000];
    const said = await Promise.all(kills.map((killAt) => emitUntilKilled(home, `run-${killAt}`, killAt)));
    await using session = await openOn(home);
    const counts = await countByRun(session);
    for (const [index, killAt] of kills.entries()) {
      const run = `run-${killAt}`;
      const isLogged = (await listLogs(session.eventFolder)).includes(`${run}.jsonl`);
      const logged = isLogged ? await countLogged(session, run) : 0;
      const counted = counts[run] ?? 0;
      assert.ok(logged <= counted && counted <= (said[index] ?? 0), `${run}: ${logged} logged, ${counted} counted`);
    }
    assert.ok(
      Object.values(counts).some((count) => count > 0),
      "some lived long enough to be logged",
    );
    assert.deepEqual(await countByRun(session), counts, "looking again adds nothing");
    assert.deepEqual(await readdir(join(home, "usage")).then((owners) => owners.length), 1);
  });

  test("is exact where processes end by themselves, and is added by several readers once", async () => {
    await using folder = await makeTemporaryFolder();
    const home = folder.path;
    const child = join(import.meta.dirname, "usage-child.ts");
    const runs = ["a", "b", "c"].map(async (run) => {
      const worker = spawn(process.execPath, [child, home, run, "3000"], { stdio: "ignore" });
      assert.deepEqual(await once(worker, "exit"), [0, null]);
    });
    await Promise.all([...runs, emitUntilKilled(home, "killed", 10_000)]);
    const sessions = await Promise.all([openOn(home), openOn(home), openOn(home)]);
    await Promise.all(sessions.map((session) => session.settleUsage()));
    const [first] = sessions;
    assert.ok(first);
    const { killed = 0, ...counts } = await countByRun(first);
    assert.deepEqual(counts, { a: 3_000, b: 3_000, c: 3_000 });
    assert.ok(killed >= (await countLogged(first, "killed")) && killed > 0);
    const { catalogue, ownerId: owner } = first.store;
    const query = { owner, events: ["gateway.bounded"], since: "", by: ["kind", "reason"] } as const;
    const [largest] = await readLargest(catalogue, query, 5);
    assert.deepEqual([largest?.kind, largest?.reason], ["files", "list"]);
    assert.ok((largest?.largest ?? 0) >= 3_000);
    for (const session of sessions) await session[Symbol.asyncDispose]();
  });

  test("ignores files that are not of a killed process, or not ours", async () => {
    await using folder = await makeTemporaryFolder();
    const home = folder.path;
    assert.ok((await emitUntilKilled(home, "killed", 2_000)) >= 2_000);
    await using session = await openOn(home);
    const [owner = ""] = await readdir(join(home, "usage"));
    const files = await readdir(join(home, "usage", owner));
    const [file = ""] = files;
    const [id, , ...host] = file.split(".");
    const names = [`${id}.1.${host.join(".")}`, `${id?.replace(/^./, "0")}.99999.elsewhere.jsonl`, "notes.txt"];
    for (const name of names) await writeFile(join(home, "usage", owner, name), "{}\n");
    const before = await countByRun(session);
    assert.deepEqual((await readdir(join(home, "usage", owner))).sort(), [...names].sort());
    assert.deepEqual(await countByRun(session), before);
  });
});
