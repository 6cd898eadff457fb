/** Makes sure that the rows and the bytes of a team store belong together before the rows are used. */
import { randomBytes } from "node:crypto";
import { pageOfBlobs } from "../catalogue/blob-rows.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { claimObjectsId, findObjectsId } from "../catalogue/objects-id-rows.ts";
import { CatalogueError } from "../catalogue/sql.ts";
import { type Objects, ObjectsError } from "./objects.ts";

/** How long rows are used before the check is tried again, if the objects cannot be reached. */
const RETRY_MS = 30_000;

/** Bytes of a store without an id that are looked for. One of them is enough, because others may be damaged. */
const SAMPLE_BLOBS = 5;

/**
 * The catalogue, which fails with "mismatched" if its bytes are in another place than these objects. Otherwise reads would
 * call every artifact damaged, keeps would be lost on other servers, and a sweep would forget objects that it did not delete.
 */
export function pairedCatalogue(catalogue: Catalogue, objects: Objects, now = performance.now.bind(performance)) {
  let checking: Promise<void> | undefined;
  let retryAt: number | undefined;

  async function ready(): Promise<Catalogue> {
    if (retryAt !== undefined && now() >= retryAt) [checking, retryAt] = [undefined, undefined];
    checking ??= requirePair(catalogue, objects).catch((error: unknown) => {
      // Rows can be read without the objects: some bytes are in local copies. What needs the objects fails by itself.
      if (!(error instanceof ObjectsError) && !isRefusedChange(error)) throw error;
      retryAt = now() + RETRY_MS;
    });
    try {
      await checking;
    } catch (error) {
      checking = undefined;
      throw error;
    }
    return catalogue;
  }

  const paired: Catalogue = {
    all: async (statement, ...values) => (await ready()).all(statement, ...values),
    get: async (statement, ...values) => (await ready()).get(statement, ...values),
    run: async (statement, ...values) => (await ready()).run(statement, ...values),
    transact: async (work, options) => (await ready()).transact(work, options),
    copyTo: async (path) => (await ready()).copyTo(path),
    findDamage: () => catalogue.findDamage(),
    close: () => catalogue.close(),
  };
  return paired;
}

/** A database that takes no changes can be read without having an id. */
const isRefusedChange = (error: unknown): boolean =>
  error instanceof CatalogueError && (error.fault === "read_only" || error.fault === "full");

const markerKey = (id: string): string => `pairs/${id}`;

async function requirePair(catalogue: Catalogue, objects: Objects): Promise<void> {
  const id = (await findObjectsId(catalogue)) ?? (await claimObjects(catalogue, objects));
  if ((await objects.head(markerKey(id))) !== undefined) return;
  throw mismatchedError(`the object ${markerKey(id)} is missing`);
}

/** The object comes before the row: whoever reads the row finds the object where the bytes are. */
async function claimObjects(catalogue: Catalogue, objects: Objects): Promise<string> {
  if (!(await hasItsBytes(catalogue, objects)))
    throw mismatchedError("none of the bytes that were looked for is there");
  const id = randomBytes(8).toString("hex");
  await objects.put(markerKey(id), Buffer.from(""), { isNewKey: true });
  const claimed = await catalogue.transact((queries) => claimObjectsId(queries, id), { durable: true });
  // Another server was faster. Whether it used the same place is seen by its own marker.
  if (claimed !== id) await objects.delete(markerKey(id));
  return claimed;
}

/** Whether a store that has no id yet has bytes here, or has none at all. */
async function hasItsBytes(catalogue: Catalogue, objects: Objects): Promise<boolean> {
  const blobs = await pageOfBlobs(catalogue, SAMPLE_BLOBS, "");
  if (blobs.length === 0) return true;
  const heads = await Promise.all(blobs.map(({ object_key }) => objects.head(object_key)));
  return heads.some((head) => head !== undefined);
}

const mismatchedError = (fact: string): CatalogueError =>
  new CatalogueError("mismatched", `The bytes of this catalogue are in another place: ${fact}.`);
