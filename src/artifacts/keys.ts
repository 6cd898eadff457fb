/** The layout of the store: the object key of everything that is stored. */
import { safeFileName } from "../system/safe-names.ts";

export const blobPrefix = "blobs/";
export const trashPrefix = "trash/";
export const extractPrefix = "extracts/";
export const ownersPrefix = "owners/";

export const blobKey = (sha256: string): string => `${blobPrefix}${sha256.slice(0, 2)}/${sha256}`;
export const trashKey = (sha256: string): string => `${trashPrefix}${sha256}`;
/** The key prefix of a blob's extracts. Extracts share folders: a folder for each would cost more than the extract. */
export const extractsKey = (sha256: string): string => `${extractPrefix}${sha256.slice(0, 2)}/${sha256}.`;

/** The sha256 at the end of the key of a blob or a trashed blob. */
export const blobOfKey = (key: string): string => key.slice(key.lastIndexOf("/") + 1);

/** The keys of one owner. No ref can lead to another owner's keys. */
export function ownerKeys(owner: string) {
  const root = `${ownersPrefix}${safeFileName(owner)}/`;
  return {
    secret: `${root}key`,
    swept: `${root}swept`,
    records: `${root}records/`,
    record: (ref: string) => `${root}records/${ref}.json`,
    /** Where a sweeper moves a record before it deletes it. */
    asides: `${root}aside/`,
    aside: (ref: string) => `${root}aside/${ref}.json`,
    tombstones: `${root}tombstones/`,
    tombstone: (ref: string) => `${root}tombstones/${ref}.json`,
    responses: `${root}responses/`,
    response: (id: string) => `${root}responses/${id}.json`,
    /** A cache entry. The digest is keyed, so it reveals nothing about the request. */
    cache: `${root}cache/`,
    cached: (digest: string) => `${root}cache/${digest}.json`,
    /** What was done about a request that was too large. The digest is keyed. */
    recoveries: `${root}recoveries/`,
    recovery: (digest: string) => `${root}recoveries/${digest}.json`,
    runs: `${root}runs/`,
    run: (run: string) => `${root}runs/${safeFileName(run)}/`,
    /** An empty object. Its time is when the run last used the artifact. */
    use: (run: string, ref: string) => `${root}runs/${safeFileName(run)}/${ref}`,
  };
}

/** The ref in the key of a record, a tombstone or a use. */
export const refOfKey = (key: string): string => key.slice(key.lastIndexOf("/") + 1).replace(/\.json$/, "");

export const isRecordKey = (key: string): boolean => key.includes("/records/");
