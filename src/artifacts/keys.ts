/** The layout of the store: the object key of everything that is stored. */
import type { RepositoryKey } from "../catalogue/index-rows.ts";
import { safeFileName } from "../system/safe-names.ts";

export const blobPrefix = "blobs/";
export const extractPrefix = "extracts/";
export const ownersPrefix = "owners/";
export const segmentPrefix = "segments/";

/** The key of new bytes. The nonce makes it one that never existed, so a sweeper of older bytes cannot delete it. */
export const newBlobKey = (sha256: string, nonce: string): string => `${blobKeysOf(sha256)}.${nonce}`;

/** The key prefix of all objects with these bytes. */
export const blobKeysOf = (sha256: string): string => `${blobPrefix}${sha256.slice(0, 2)}/${sha256}`;

/** The key prefix of a blob's extracts. Extracts share folders: a folder for each would cost more than the extract. */
export const extractsKey = (sha256: string): string => `${extractPrefix}${sha256.slice(0, 3)}/${sha256}.`;

/** The sha256 in the key of a blob. */
export const blobOfKey = (key: string): string => key.slice(key.lastIndexOf("/") + 1).slice(0, 64);

/** Whether a key is that of an object with these bytes. */
export const isBlobKey = (key: string, sha256: string): boolean =>
  key.startsWith(blobPrefix) && blobOfKey(key) === sha256;

/** The key prefix of the index segments of a repository. */
export const segmentsKey = ({ owner, project, repository }: RepositoryKey): string =>
  `${segmentPrefix}${owner}/${project}/${repository}/`;

/** The version of an index segment, which its key or name ends with; NaN for one of early programs, which has none. */
export const segmentVersionOf = (key: string): number => Number.parseInt(nameOf(key).split(".")[2] ?? "", 10);

/** The sha256 in the key or name of an index segment, which is `<sha256>.<nonce>.<version>`. */
export const segmentHashOf = (key: string): string => nameOf(key).slice(0, 64);

const nameOf = (key: string): string => key.slice(key.lastIndexOf("/") + 1);

/** The keys of one owner. */
export function ownerKeys(owner: string) {
  const root = `${ownersPrefix}${safeFileName(owner)}/`;
  return {
    /** The secret that makes the owner's refs. It is an object, not a row: a copy of the catalogue does not hold it. */
    secret: `${root}key`,
    /** What was done about a request that was too large. The digest is keyed. */
    recoveries: `${root}recoveries/`,
    recovery: (digest: string) => `${root}recoveries/${digest}.json`,
  };
}
