/** A storage that several servers share: PostgreSQL for rows, an S3-compatible service for bytes, or one of them. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { openCatalogue } from "../catalogue/catalogue.ts";
import { describeAddress, parsePostgresAddress } from "../catalogue/postgres-address.ts";
import { postgresSql } from "../catalogue/postgres-sql.ts";
import { sqliteSql } from "../catalogue/sqlite-sql.ts";
import type { Settings } from "../config/settings.ts";
import { openJournal } from "./backup/journal.ts";
import { diskObjects } from "./disk-objects.ts";
import { type Objects, temporaryPrefix } from "./objects.ts";
import { pairedCatalogue } from "./paired-catalogue.ts";
import { describePlace, readS3Address, type S3Settings } from "./s3/s3-address.ts";
import { s3Objects } from "./s3/s3-objects.ts";
import { CATALOGUE_FILE, type Storage } from "./storage.ts";

export type TeamSettings = S3Settings &
  Pick<Settings, "store.catalogue" | "store.password" | "store.timeout" | "store.cache_bytes" | "network.ca_file">;

/** The storage that the settings name. What they do not name is in the data folder. Nothing is connected yet. */
export function teamStorage(home: string, settings: TeamSettings): Storage {
  const place = openObjects(home, settings);
  return { ...place, ...openRows(home, settings, place.objects), parts: nameParts(settings) };
}

/** What the parts of the storage are called, for people: never with a secret. */
function nameParts(settings: TeamSettings): NonNullable<Storage["parts"]> {
  const { "store.catalogue": url, "store.objects": place } = settings;
  return {
    catalogue: url === null ? "SQLite in the data folder" : describeAddress(parsePostgresAddress(url)),
    objects: place === null ? "files in the data folder" : describePlace(readS3Address(settings)),
  };
}

function openObjects(home: string, settings: TeamSettings): Pick<Storage, "objects" | "localFiles" | "close"> {
  const localFiles = diskObjects(home);
  if (settings["store.objects"] === null) return { objects: localFiles };
  const timeoutMs = settings["store.timeout"];
  const copies = {
    folder: join(home, temporaryPrefix),
    cacheFolder: join(home, "copies"),
    maxBytes: settings["store.cache_bytes"],
  };
  const caFile = settings["network.ca_file"];
  const objects = s3Objects(readS3Address(settings), { copies, timeoutMs, caFile });
  return { objects, localFiles, close: objects.close };
}

function openRows(
  home: string,
  settings: TeamSettings,
  objects: Objects,
): Pick<Storage, "catalogue" | "journal" | "folder"> {
  const { "store.catalogue": url, "store.password": password, "store.timeout": timeoutMs } = settings;
  if (url === null) return openLocalRows(home, settings);
  const address = parsePostgresAddress(url, password ?? undefined);
  const sql = postgresSql({ ...address, timeoutMs, caFile: settings["network.ca_file"] });
  return { catalogue: pairedCatalogue(openCatalogue(sql), objects) };
}

/** Rows about objects that are elsewhere have a folder of their own: they are of no use with other objects. */
function openLocalRows(home: string, settings: TeamSettings): Pick<Storage, "catalogue" | "journal" | "folder"> {
  const { bucket, prefix, host } = readS3Address(settings);
  const name = createHash("sha256").update(`${host} ${bucket} ${prefix}`).digest("hex").slice(0, 12);
  const folder = join(home, `rows-${name}`);
  const catalogue = openCatalogue(sqliteSql(join(folder, CATALOGUE_FILE)));
  return { catalogue, journal: openJournal(folder, catalogue), folder };
}
