/** Whether the parts of a team store work: each is used once, and a failure is explained. */
import { randomBytes } from "node:crypto";
import { SpillwayError } from "../errors.ts";
import { MIGRATION_KEY } from "./migrate/migrate-store.ts";
import { readObject, temporaryPrefix } from "./objects.ts";
import type { Storage } from "./storage.ts";
import { toStoreError } from "./store-errors.ts";

export type PartCheck = { readonly name: "catalogue" | "objects"; readonly ok: boolean; readonly detail: string };

/** Reads a row, and writes, reads and deletes an object. */
export async function checkParts(storage: Storage): Promise<PartCheck[]> {
  const { catalogue = "", objects = "" } = storage.parts ?? {};
  return Promise.all([
    checkPart("catalogue", catalogue, async () => {
      await storage.catalogue.transact((queries) => queries.get("SELECT version FROM catalogue_schema"));
    }),
    checkPart("objects", objects, async () => {
      await tryObjects(storage);
      await requireWhole(storage);
    }),
  ]);
}

async function checkPart(name: PartCheck["name"], place: string, use: () => Promise<void>): Promise<PartCheck> {
  try {
    await use();
    return { name, ok: true, detail: `${place} works` };
  } catch (error) {
    const known = toStoreError("changed", error);
    if (!(known instanceof SpillwayError)) throw error;
    const reason = error instanceof Error && error !== known ? ` (${error.message})` : "";
    return { name, ok: false, detail: `${place} does not work${reason}. ${known.advice}` };
  }
}

/** What a broken off migration has copied works; the rest is still in the old store. */
async function requireWhole({ objects }: Storage): Promise<void> {
  if ((await objects.head(MIGRATION_KEY)) === undefined) return;
  throw new SpillwayError(
    "store_unavailable",
    "A migration into this store has not ended, so artifacts may be missing.",
    {
      hint: "Run spillway store migrate again, with the settings of the old store and the same --to.",
    },
  );
}

/** Two puts of a new key must not both succeed, so the condition is tried too. */
async function tryObjects({ objects }: Storage): Promise<void> {
  const key = `${temporaryPrefix}doctor-${randomBytes(6).toString("hex")}`;
  const bytes = randomBytes(16);
  try {
    await objects.put(key, bytes, { ifAbsent: true });
    const found = await readObject(objects, key);
    if (!found?.equals(bytes)) throw Object.assign(new Error("What was written cannot be read."), { code: "EIO" });
  } finally {
    await objects.delete(key).catch(() => undefined); // The failure that matters is the first one.
  }
}
