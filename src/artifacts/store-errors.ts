/** The sentences of a store that cannot do what it was asked. */
import { CatalogueError, type CatalogueFault } from "../catalogue/sql.ts";
import type { TombstoneRow } from "../catalogue/tombstone-rows.ts";
import { isUnwritable, SpillwayError, systemCode } from "../errors.ts";
import { PATH_CHARS } from "../system/clip-lengths.ts";
import { isRedacted } from "../system/redact-url.ts";
import { clip, escapePath } from "../system/safe-names.ts";
import { ObjectsError, type ObjectsFault } from "./objects.ts";

export function damagedError(ref: string, fact: string, cause?: unknown): SpillwayError {
  return new SpillwayError("artifact_damaged", `Artifact ${ref} cannot be used: ${fact}.`, {
    hint: "Fetch the source again; the other artifacts are not affected.",
    cause,
  });
}

export function sourceChangedError(ref: string, path: string): SpillwayError {
  const place = clip(escapePath(path), PATH_CHARS);
  return new SpillwayError(
    "source_changed",
    `Artifact ${ref} cannot be used: the file ${place} has changed or is gone.`,
    {
      hint: "Fetch the file again: its present content gets a ref of its own. Large files are read in place and not copied.",
    },
  );
}

export function expiredError({ ref, expired_at, reason, source_url }: TombstoneRow): SpillwayError {
  const reasons: Readonly<Record<string, string>> = {
    age: "unused for too long",
    count: "its run kept too many",
    bytes: "the store was full",
    removed: "removed by its owner",
  };
  const expiredOn = new Date(expired_at).toISOString();
  const secretNote = isRedacted(source_url) ? ", with your own value in place of ***," : "";
  return new SpillwayError(
    "artifact_expired",
    `Artifact ${ref} expired on ${expiredOn} (${reasons[reason] ?? reason}).`,
    {
      hint: `Fetch ${source_url} again${secretNote} to get it back under the same ref while its content is the same.`,
    },
  );
}

/** Why nothing could be kept, or a failure of the catalogue while reading. */
export function unavailableError(action: "kept" | "read" | "changed", cause: unknown): SpillwayError {
  const { fact, hint } = explain(cause);
  if (action === "kept")
    return new SpillwayError("store_unavailable", `The artifact could not be kept: ${fact}.`, { hint, cause });
  // The sentence begins with the store, so the fact does not name it again.
  const reason = fact === READ_ONLY_FACT ? "its folder cannot be written" : fact;
  return new SpillwayError("store_unavailable", `The store cannot be ${action}: ${reason}.`, { hint, cause });
}

/** Failures of the disk and of the catalogue as errors with a hint; other errors stay as they are. */
export function toStoreError(action: "kept" | "read" | "changed", error: unknown): unknown {
  if (error instanceof SpillwayError || systemCode(error) === undefined) return error;
  return unavailableError(action, error);
}

type Explanation = { readonly fact: string; readonly hint: string };

const READ_ONLY_FACT = "the store cannot be written";

const freeSpace = "Free space or set SPILLWAY_HOME to a folder that can be written, then fetch again.";

const explanations: Readonly<Record<CatalogueFault, Explanation>> = {
  busy: {
    fact: "another process has kept its catalogue locked for too long",
    hint: "Repeat the call; if it fails again, end the process that uses catalogue.db in the data folder.",
  },
  read_only: { fact: READ_ONLY_FACT, hint: freeSpace },
  full: { fact: "the disk is full", hint: freeSpace },
  newer: {
    fact: "a newer version of Spillway has written it",
    hint: "Update Spillway, or set SPILLWAY_HOME to another folder. Nothing in the store has been changed.",
  },
  damaged: {
    fact: "its catalogue is damaged",
    hint: "Run `spillway store check --repair`; the bytes of the artifacts are not affected.",
  },
  failed: { fact: "the disk reports an error", hint: freeSpace },
  unreachable: {
    fact: "its database cannot be reached",
    hint: "Repeat the call later: it works again as soon as the database does. Run `spillway doctor` to see which part of the store is down.",
  },
  refused: {
    fact: "its database refuses the connection",
    hint: "Run `spillway doctor`: it shows the reason. Check the user and the database in store.catalogue and the password in SPILLWAY_STORE_PASSWORD.",
  },
  untrusted: {
    fact: "the certificate of its database is not trusted",
    hint: "Run `spillway doctor`: it shows the reason. If the certificate is your own, name the file of its issuer in the setting network.ca_file; store.catalogue must name the host that is in the certificate.",
  },
  unencrypted: {
    fact: "its database does not encrypt connections",
    hint: "Turn on TLS there, or add ?sslmode=disable to store.catalogue if the network between is your own.",
  },
  mismatched: {
    fact: "its rows and its bytes do not belong together",
    hint: "Nothing has been changed. Set store.catalogue and store.objects to a pair that was used together (without store.objects the bytes are in the data folder). To use another place, copy the store with spillway store migrate.",
  },
  exposed: {
    fact: "other users can change its folder",
    hint: "Run `spillway doctor`: it names the folder. Take the right to write from others (chmod go-w), or set SPILLWAY_HOME to a folder of your own.",
  },
};

const objectsHint = "Run `spillway doctor`: it shows the reason.";

/** The objects of a team store are a service of their own. */
const objectsExplanations: Readonly<Record<ObjectsFault, Explanation>> = {
  unreachable: {
    fact: "its object storage cannot be reached",
    hint: "Repeat the call later: it works again as soon as the service does. Run `spillway doctor` to see which part of the store is down.",
  },
  busy: { fact: "its object storage is too busy", hint: "Repeat the call later." },
  refused: {
    fact: "its object storage refuses the credentials",
    hint: `${objectsHint} Check SPILLWAY_STORE_ACCESS_KEY and SPILLWAY_STORE_SECRET_KEY, store.region, and the rights of that key to the bucket.`,
  },
  no_bucket: {
    fact: "its bucket does not exist",
    hint: "Create the bucket that store.objects names, or correct the name. Spillway creates no bucket.",
  },
  clock: {
    fact: "the clock of this machine differs too much from that of its object storage",
    hint: "Set the clock of this machine, then repeat the call.",
  },
  redirected: {
    fact: "its object storage points to another address, which is not followed",
    hint: "Set store.region and store.endpoint to those of the bucket.",
  },
  untrusted: {
    fact: "the certificate of its object storage is not trusted",
    hint: `${objectsHint} If the certificate is your own, name the file of its issuer in the setting network.ca_file.`,
  },
  full: {
    fact: "its object storage takes no more bytes",
    hint: "Free space there, or raise its quota, then fetch again.",
  },
  failed: { fact: "its object storage reports an error", hint: objectsHint },
};

function explain(cause: unknown): Explanation {
  if (cause instanceof CatalogueError) return explanations[cause.fault];
  if (cause instanceof ObjectsError) return objectsExplanations[cause.fault];
  const code = systemCode(cause);
  if (code === "ENOSPC" || code === "EDQUOT") return explanations.full;
  return isUnwritable(cause) ? explanations.read_only : { fact: `disk error ${code}`, hint: freeSpace };
}
