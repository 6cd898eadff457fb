/** Kills processes, the database and the S3 server of a team store, and cuts connections, at random moments. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { openStore } from "../../src/artifacts/artifact-store.ts";
import { teamStorage } from "../../src/artifacts/team-storage.ts";
import { defaultSettings, type Settings } from "../../src/config/settings.ts";
import { makeTemporaryFolder, readArtifactBytes } from "../bodies.ts";
import { type PostgresServer, startPostgres } from "../postgres-server.ts";
import { type S3Server, startS3 } from "../s3-server.ts";
import { soakCount } from "../soak.ts";
import { type Relay, startRelay } from "../tcp-relay.ts";

const kills = soakCount({ sample: 16, full: 300 });
/** Between two blows at a server or a connection. */
const BLOW_EVERY_KILLS = 4;

const postgres = await startPostgres();
const s3 = await startS3();
const missing = [postgres, s3].find((each) => typeof each === "string");

test(`${kills} kills, with servers restarted and connections cut, lose no acknowledged artifact`, {
  skip: typeof missing === "string" ? missing : false,
}, async (t) => {
  assert.ok(typeof postgres !== "string" && typeof s3 !== "string");
  await using _database = postgres;
  await using _service = s3;
  await using folder = await makeTemporaryFolder();
  const root = join(folder.path, "root");
  await mkdir(root);
  for (let n = 0; n < 20; n++) await writeFile(join(root, `f${n}.ts`), `export const value${n} = "order ${n}";\n`);
  await using toRows = await startRelay(postgres.port);
  await using toBytes = await startRelay(s3.port);
  const direct: Settings = {
    ...defaultSettings,
    ...s3.makePlace(),
    "store.catalogue": (await postgres.makeDatabase()).url,
    "store.timeout": 5_000,
    home: join(folder.path, "check"),
  };
  const relayed = {
    ...direct,
    "store.catalogue": direct["store.catalogue"]?.replace(`:${postgres.port}/`, `:${toRows.port}/`),
    "store.endpoint": `http://127.0.0.1:${toBytes.port}`,
  };
  const acknowledged = new Map<string, string>();
  const said = { refused: 0, blows: 0 };
  let killed = 0;

  /** Starts a process again and again, and kills it at a random moment. */
  async function work(role: string, owner: string, home: string): Promise<void> {
    while (killed < kills) {
      const settings = JSON.stringify({ ...relayed, home: join(folder.path, home) });
      const child = spawn(
        process.execPath,
        [join(import.meta.dirname, "team-worker.ts"), settings, role, owner, root],
        {
          stdio: ["ignore", "pipe", "pipe"],
        },
      );
      const text = collect(child);
      const closed = once(child, "close");
      await text.lines(2 + randomInt(8));
      child.kill("SIGKILL");
      const [status, signal] = await closed;
      assert.equal(signal, "SIGKILL", `${role} ended by itself (${status}): ${text.errors().slice(-2_000)}`);
      killed++;
      for (const [, ref = "", sha256 = ""] of text.text().matchAll(/^kept (\S+) (\S+)\n/gm))
        acknowledged.set(ref, sha256);
      said.refused += text.text().match(/^refused/gm)?.length ?? 0;
    }
  }

  const blows = makeBlows(postgres, s3, [toRows, toBytes]);
  async function strike(): Promise<void> {
    for (let next = BLOW_EVERY_KILLS; killed < kills; next += BLOW_EVERY_KILLS) {
      while (killed < Math.min(next, kills)) await wait(20);
      await blows[said.blows++ % blows.length]?.();
    }
  }

  await Promise.all([
    work("writer", "ann", "one"),
    work("writer", "ann", "two"),
    work("remover", "ben", "two"),
    work("reader", "ann", "three"),
    work("sweeper", "ann", "three"),
    work("indexer", "ann", "one"),
    strike(),
  ]);
  t.diagnostic(`${killed} kills, ${said.blows} blows, ${acknowledged.size} acknowledged, ${said.refused} refused`);
  assert.ok(acknowledged.size > kills / 4, "hardly anything was written");

  const storage = teamStorage(join(folder.path, "check"), direct);
  const store = openStore(storage, { owner: "ann", run: "check" });
  for (const [ref, sha256] of acknowledged) {
    const bytes = await readArtifactBytes(store, ref);
    assert.equal(createHash("sha256").update(bytes).digest("hex"), sha256, ref);
  }
  for await (const listed of store.list()) assert.ok("record" in listed, "a record is damaged");
  await storage.catalogue.close();
  await storage.close?.();
});

/** What happens to servers and connections, one after the other. */
function makeBlows(database: PostgresServer, service: S3Server, relays: readonly Relay[]) {
  const cut = async (relay: Relay | undefined): Promise<void> => {
    relay?.cut();
    await wait(randomInt(300));
    relay?.restore();
  };
  return [
    () => cut(relays[0]),
    () => cut(relays[1]),
    async () => {
      await database.stop("kill");
      await database.start();
    },
    async () => {
      await service.kill();
      await service.start();
    },
    async () => {
      await database.stop("fast");
      await database.start();
    },
  ];
}

function collect(child: ChildProcess) {
  let [text, errors] = ["", ""];
  let isOver = false;
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    errors += chunk;
  });
  child.once("exit", () => {
    isOver = true;
  });
  return {
    /** Waits for so many lines, or for the end of the process. */
    async lines(count: number): Promise<void> {
      while (!isOver && text.split("\n").length <= count) await wait(10);
    },
    text: () => text,
    errors: () => errors,
  };
}
