/** Where the suites of the store run: in memory, or on the servers that team-storage.integration.test.ts names. */
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { diskStorage, memoryStorage, type Storage } from "../src/artifacts/storage.ts";
import { type TeamSettings, teamStorage } from "../src/artifacts/team-storage.ts";
import { openCatalogue } from "../src/catalogue/catalogue.ts";
import { parsePostgresAddress } from "../src/catalogue/postgres-address.ts";
import { postgresSql } from "../src/catalogue/postgres-sql.ts";
import type { Sql } from "../src/catalogue/sql.ts";
import { defaultSettings } from "../src/config/settings.ts";
import { makeTemporaryFolder } from "./bodies.ts";
import { soakCount } from "./soak.ts";

/** The settings of the servers, as JSON: a database and a bucket. */
const given: Partial<TeamSettings> | undefined =
  process.env.STORAGE_UNDER_TEST === undefined ? undefined : JSON.parse(process.env.STORAGE_UNDER_TEST);

/** The data folders of all storages, removed with this process. */
const homes = join(tmpdir(), `spillway-places-${process.pid}`);
process.on("exit", () => rmSync(homes, { recursive: true, force: true }));

/** A new, empty storage. */
export function makeStorage(now?: () => number): Storage {
  if (given === undefined) return memoryStorage(now);
  // Tests run one after the other; a connection that is needed again is opened again.
  for (const earlier of opened.splice(0)) void earlier.catalogue.close();
  const storage = openPlace(join(homes, newName()), newName());
  opened.push(storage);
  return storage;
}

const opened: Storage[] = [];

/** How often a property is tried: each try makes a storage, which takes long on a server. */
export const propertyRuns = (full: number): number => soakCount({ sample: given === undefined ? 20 : 5, full });

/** A place that several connections share, as several processes would. */
export async function makeSharedPlace(): Promise<{ open(): Storage } & AsyncDisposable> {
  const folder = await makeTemporaryFolder();
  const [home, name] = [join(folder.path, "home"), newName()];
  return {
    open: () => (given === undefined ? diskStorage(home) : openPlace(home, name)),
    [Symbol.asyncDispose]: folder[Symbol.asyncDispose],
  };
}

const newName = (): string => randomBytes(6).toString("hex");

function openPlace(home: string, name: string): Storage {
  const settings: TeamSettings = { ...defaultSettings, ...given };
  const objects = settings["store.objects"];
  const storage = teamStorage(home, { ...settings, "store.objects": objects && `${objects}/${name}` });
  const url = settings["store.catalogue"];
  return url === null ? storage : { ...storage, catalogue: openCatalogue(schemaOf(url, `place_${name}`)) };
}

/** A schema of that name, created with its first use. */
function schemaOf(url: string, schema: string): Sql {
  const address = parsePostgresAddress(url);
  const sql = postgresSql({ ...address, schema, maxConnections: 3 });
  let creating: Promise<unknown> | undefined;
  const ready = async (): Promise<Sql> => {
    creating ??= sql.transact((queries) => queries.run(`CREATE SCHEMA IF NOT EXISTS ${schema}`), { exclusive: true });
    await creating;
    return sql;
  };
  return {
    all: async (statement, ...values) => (await ready()).all(statement, ...values),
    get: async (statement, ...values) => (await ready()).get(statement, ...values),
    run: async (statement, ...values) => (await ready()).run(statement, ...values),
    transact: async (work, options) => (await ready()).transact(work, options),
    copyTo: async (path) => (await ready()).copyTo(path),
    findDamage: async () => (await ready()).findDamage(),
    close: () => sql.close(),
  };
}
