/** Checks the catalogue and the bytes of the artifacts. */
import { formatCount, formatSize } from "../../../answer/phrases.ts";
import { toStoreError } from "../../../artifacts/store-errors.ts";
import { SpillwayError } from "../../../errors.ts";
import type { Session } from "../../../session/session.ts";
import type { Call } from "../command.ts";
import type { Check } from "./check.ts";

export function describeExposedHome(problem: string): Check {
  const hint = "Take the right to write from others (chmod go-w), or set SPILLWAY_HOME to a folder of your own.";
  return { name: "store", ok: false, detail: `${problem} Replies have no artifact_ref. ${hint}` };
}

/** The parts of a team store, each on its own; nothing for a store in the data folder. */
export async function checkTeamStore({ store }: Session): Promise<readonly Check[]> {
  if (store.parts === undefined) return [];
  const { checkParts } = await import("../../../artifacts/check-parts.ts");
  return checkParts(store);
}

/** How many of the artifacts used last are looked at; all of them would take as long as the store is large. */
const MAX_CHECKED_ARTIFACTS = 200;
/** How many refs a line names. */
const MAX_NAMED = 20;

/** Whether the catalogue can be used, is the one that was used before, and has the bytes of what was used last. */
export async function checkCatalogue(session: Session): Promise<Check[]> {
  try {
    return [...(await checkReplaced(session)), await checkRecent(session)];
  } catch (error) {
    const known = toStoreError("read", error);
    if (!(known instanceof SpillwayError)) throw error;
    return [{ name: "artifacts", ok: false, detail: known.advice }];
  }
}

async function checkReplaced({ store }: Session): Promise<Check[]> {
  const { wasReplaced } = await import("../../../artifacts/backup/snapshots.ts");
  if (!(await wasReplaced(store))) return [];
  const detail =
    "The catalogue was lost, and a new one is in its place. Run spillway store check --repair to bring the artifacts back.";
  return [{ name: "catalogue", ok: false, detail }];
}

async function checkRecent({ store }: Session): Promise<Check> {
  const { artifacts, bytes } = await store.totals();
  const damaged: string[] = [];
  for (const listed of (await store.listRecent(MAX_CHECKED_ARTIFACTS)).artifacts) {
    if (!("record" in listed)) damaged.push(listed.ref);
    else if (!(await store.hasBytes(listed.record))) damaged.push(listed.record.artifact_ref);
  }
  const summary = `${formatCount(artifacts, "artifact")}, ${formatSize(bytes)}`;
  return damaged.length === 0
    ? { name: "artifacts", ok: true, detail: summary }
    : { name: "artifacts", ok: false, detail: `${summary}; damaged: ${nameRefs(damaged)}. ${damageHint}` };
}

const damageHint = "Fetch their sources again, or remove them: spillway artifacts rm <ref>.";

const nameRefs = (refs: readonly string[]): string =>
  refs.slice(0, MAX_NAMED).join(", ") + (refs.length > MAX_NAMED ? ", ..." : "");

/** Compares the bytes of every artifact of every owner with their hashes. */
export async function checkBytes({ terminal, signal }: Call, { store }: Session): Promise<Check> {
  const { checkStore } = await import("../../../artifacts/repair/check-store.ts");
  const progress = (checked: number) => terminal.progress?.(`${checked.toLocaleString("en")} blobs checked`);
  const { damage, blobs, problems } = await checkStore(store, { deep: true, signal, progress });
  terminal.progress?.("");
  const name = "bytes";
  if (damage.length > 0) return { name, ok: false, detail: `${damage[0]} Run spillway store check --repair.` };
  const summary = `${formatCount(blobs, "blob")} compared with their hashes`;
  if (problems.length === 0) return { name, ok: true, detail: summary };
  const refs = problems.flatMap((problem) => problem.refs);
  return { name, ok: false, detail: `${summary}; damaged: ${nameRefs(refs)}. ${damageHint}` };
}
