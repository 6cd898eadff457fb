/** `spillway store`: checks and repairs the store, and says what is in it. */
import { formatCount, formatSize } from "../../../answer/phrases.ts";
import { checkStore, type StoreCheck } from "../../../artifacts/repair/check-store.ts";
import { dropSegments, releaseOrphans, repairBlobs, restoreCatalogue } from "../../../artifacts/repair/repair-store.ts";
import { toStoreError } from "../../../artifacts/store-errors.ts";
import { readStatistics } from "../../../catalogue/statistics.ts";
import { nearestName } from "../../../config/suggest-name.ts";
import { SpillwayError } from "../../../errors.ts";
import type { Session } from "../../../session/session.ts";
import { clip } from "../../../system/safe-names.ts";
import { checkArguments } from "../arguments.ts";
import type { Call, Command, ExitCode } from "../command.ts";
import { toJsonLine } from "../output.ts";

export const storeCommand: Command = {
  usage: "store check|stats|migrate",
  examples: [
    ["store stats", "how much is stored"],
    ["store check --deep", "compare all bytes with their hashes"],
    ["store migrate --to team.jsonc", "copy it to the store that another config file names"],
  ],
  words: ["check", "stats", "migrate"],
  about:
    "check looks for damage, stats counts what is stored, migrate copies it to another store. The exit status of check is 1 if something is wrong.",
  options: {
    deep: { type: "boolean", about: "With check: also compare all bytes with their hashes." },
    repair: { type: "boolean", about: "With check: restore a damaged catalogue, and release bytes without a record." },
    to: {
      type: "string",
      value: "FILE",
      about: "With migrate: a config file with the settings of the new store. Run it again after it was broken off.",
    },
  },
  details: "End other processes that use the store before you repair it.",
  async run(call) {
    const [name = "stats", ...args] = call.args;
    const action = Object.hasOwn(actions, name) ? actions[name as keyof typeof actions] : undefined;
    if (action === undefined) {
      const nearest = nearestName(name, Object.keys(actions));
      throw new SpillwayError("usage", `store has no action ${JSON.stringify(clip(name))}.`, {
        hint: `${nearest === undefined ? "" : `Did you mean ${nearest}? `}Actions: ${Object.keys(actions).join(", ")}.`,
      });
    }
    checkArguments(0, { ...call, args });
    rejectOptionsOf(name, call);
    try {
      return await action(call, await call.session());
    } catch (error) {
      throw toStoreError("read", error);
    }
  },
};

const actions = { check, stats, migrate };

async function migrate(call: Call, session: Session): Promise<ExitCode> {
  return (await import("../migrate-action.ts")).migrate(call, session);
}

function rejectOptionsOf(action: string, { values }: Call): void {
  const owners = { deep: "check", repair: "check", to: "migrate" };
  const ignored = Object.entries(owners).find(([option, owner]) => action !== owner && values[option] !== undefined);
  if (ignored === undefined) return;
  const [option, owner] = ignored;
  throw new SpillwayError("usage", `store ${action} takes no --${option}.`, {
    hint: `Run spillway store ${owner} --${option}.`,
  });
}

async function stats(call: Call, { store }: Session): Promise<ExitCode> {
  const statistics = await readStatistics(store.catalogue);
  if (call.json) await call.terminal.out(toJsonLine(statistics));
  else {
    for (const [name, count] of Object.entries(statistics)) {
      const value = name.endsWith("_bytes") ? formatSize(count) : count.toLocaleString("en");
      await call.terminal.out(`${name.padEnd(16)} ${value}\n`);
    }
  }
  return 0;
}

async function check(call: Call, session: Session): Promise<ExitCode> {
  const { store } = session;
  const deep = call.values.deep === true;
  const progress = (checked: number) => {
    if (checked % 100 === 0) call.terminal.progress?.(`${checked.toLocaleString("en")} blobs checked`);
  };
  const examine = () => checkStore(store, { deep, signal: call.signal, progress });
  let found = await examine();
  const repairs = call.values.repair === true ? await repair(found, session) : [];
  if (repairs.length > 0) found = await examine();
  call.terminal.progress?.("");
  const ok = found.damage.length === 0 && found.problems.length === 0;
  await call.terminal.out(call.json ? toJsonLine({ ok, ...found, repairs }) : toText(found, repairs));
  return ok ? 0 : 1;
}

/** How long bytes without a record stay after a repair, in case that they are missed. */
const ORPHANS_STAY_MS = 14 * 24 * 60 * 60 * 1000;

/** Repairs what can be repaired, and says in a sentence each what was done. */
async function repair(found: StoreCheck, { store, signal }: Session): Promise<string[]> {
  const { damage, problems, damagedSegments, orphans } = found;
  const sentences: string[] = [];
  if (damage.length > 0) sentences.push(...(await restore(store)));
  const repaired = await repairBlobs(store, problems);
  if (repaired > 0) sentences.push(`${formatCount(repaired, "blob")} found under another name.`);
  const dropped = damagedSegments.length > 0 ? await dropSegments(store, damagedSegments) : 0;
  if (dropped > 0) sentences.push(`${formatCount(dropped, "index segment")} will be built again by the next search.`);
  const released = damage.length + orphans > 0 ? await releaseOrphans(store, store.now() + ORPHANS_STAY_MS, signal) : 0;
  if (released > 0) sentences.push(`${formatCount(released, "object")} without a record will be deleted in 14 days.`);
  return sentences;
}

async function restore(store: Session["store"]): Promise<string[]> {
  const { folder } = store;
  if (folder === undefined) return [];
  const { snapshot, recovered, lost, asidePath } = await restoreCatalogue({ ...store, folder }, store.now());
  const source = snapshot === null ? "began empty: there was no sound snapshot" : `was restored from ${snapshot}`;
  const lostPart = lost === 0 ? "" : `; the bytes of ${formatCount(lost, "artifact")} are gone`;
  return [
    `The catalogue ${source}. The old one is in ${asidePath}.`,
    `The journal brought back ${formatCount(recovered, "artifact")}${lostPart}.`,
  ];
}

/** Nothing is lost with an index segment, so a damaged one is not a failure. */
function describeSegments(segments: number, damaged: number): string {
  const advice = damaged === 0 ? "" : "; searches do without them, --repair has them built again";
  return `ok    ${formatCount(segments, "index segment")} checked, ${damaged} damaged${advice}`;
}

const MAX_SHOWN = 20;

function toText(found: StoreCheck, repairs: readonly string[]): string {
  const { damage, blobs, problems, segments, damagedSegments, orphans } = found;
  const lines = [
    ...damage.slice(0, MAX_SHOWN).map((finding) => `FAIL  catalogue: ${finding}`),
    ...(damage.length > 0 ? ["      Run spillway store check --repair."] : ["ok    catalogue"]),
    ...problems.slice(0, MAX_SHOWN).map(({ problem, refs }) => `FAIL  bytes ${problem}: ${refs.join(", ")}`),
    ...(problems.length > 0 ? ["      Fetch these sources again, or remove them: spillway artifacts rm <ref>."] : []),
    `${problems.length === 0 ? "ok  " : "    "}  ${formatCount(blobs, "blob")} checked, ${problems.length} damaged`,
    ...(segments > 0 ? [describeSegments(segments, damagedSegments.length)] : []),
    ...(orphans > 0 ? [`      ${formatCount(orphans, "object")} without a record`] : []),
    ...repairs,
  ];
  return `${lines.join("\n")}\n`;
}
