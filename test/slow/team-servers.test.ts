/** Three servers on one team store: any of them answers any ref, and nobody reads what is another owner's. */
import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { createHash, randomInt } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { defaultSettings } from "../../src/config/settings.ts";
import { makeTemporaryFolder } from "../bodies.ts";
import { startPostgres } from "../postgres-server.ts";
import { startS3 } from "../s3-server.ts";
import { soakCount } from "../soak.ts";
import type { Operation, Outcome } from "./team-server.ts";

const OPERATIONS = soakCount({ sample: 600, full: 10_000 });
const OWNERS = 50;
const SERVERS = 3;
/** Operations at once, over all servers. */
const CONCURRENCY = 24;

const postgres = await startPostgres();
const s3 = await startS3();
const missing = [postgres, s3].find((each) => typeof each === "string");

test(`${SERVERS} servers, ${OWNERS} owners, ${OPERATIONS} operations: no error and no foreign read`, {
  skip: typeof missing === "string" ? missing : false,
}, async (t) => {
  assert.ok(typeof postgres !== "string" && typeof s3 !== "string");
  await using _database = postgres;
  await using _service = s3;
  await using folder = await makeTemporaryFolder();
  // However busy the machine is: an operation that waits is not an error.
  const patient = { "store.timeout": 120_000 };
  const settings = { ...s3.makePlace(), ...patient, "store.catalogue": (await postgres.makeDatabase()).url };
  const home = (index: number) => join(folder.path, `server-${index}`);
  const json = JSON.stringify({ ...defaultSettings, ...settings });
  const servers = await Promise.all(Array.from({ length: SERVERS }, (_, index) => startServer(json, home(index))));
  const kept: { readonly owner: string; readonly ref: string; readonly sha256: string; readonly server: number }[] = [];
  const counts = { kept: 0, read: 0, elsewhere: 0, foreign: 0 };
  let begun = 0;

  async function keepOne(): Promise<void> {
    const [owner, server, text] = [`owner-${randomInt(OWNERS)}`, randomInt(SERVERS), `text ${randomInt(2_000)}`];
    const ref = await servers[server]?.perform({ owner, keep: text });
    assert.match(ref ?? "", /^af_/, ref);
    kept.push({ owner, ref: ref ?? "", sha256: createHash("sha256").update(text).digest("hex"), server });
    counts.kept++;
  }

  async function readOne(): Promise<void> {
    const chosen = kept[randomInt(kept.length)];
    if (chosen === undefined) return;
    const server = randomInt(SERVERS);
    const owner = randomInt(4) === 0 ? `owner-${randomInt(OWNERS)}` : chosen.owner;
    const result = await servers[server]?.perform({ owner, read: chosen.ref });
    if (owner === chosen.owner) {
      assert.equal(result, chosen.sha256);
      counts.read++;
      if (server !== chosen.server) counts.elsewhere++;
    } else {
      assert.match(result ?? "", /^artifact_not_found/);
      counts.foreign++;
    }
  }

  async function work(): Promise<void> {
    while (begun++ < OPERATIONS) await (kept.length === 0 || randomInt(3) === 0 ? keepOne() : readOne());
  }

  try {
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
  } finally {
    for (const { child } of servers) child.disconnect();
  }
  t.diagnostic(JSON.stringify(counts));
  assert.ok(counts.elsewhere > OPERATIONS / 10 && counts.foreign > OPERATIONS / 20);
});

type Server = { readonly child: ChildProcess; perform(operation: Work): Promise<string> };

type Work = { readonly owner: string } & ({ readonly keep: string } | { readonly read: string });

async function startServer(json: string, home: string): Promise<Server> {
  const child = fork(join(import.meta.dirname, "team-server.ts"), [json, home]);
  const waiting = new Map<number, (result: string) => void>();
  await once(child, "message");
  child.on("message", ({ id, result }: Outcome) => {
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  let next = 0;
  return {
    child,
    perform: (work) =>
      new Promise((resolve) => {
        const id = next++;
        waiting.set(id, resolve);
        child.send({ ...work, id } satisfies Operation);
      }),
  };
}
