/**
 * What was done about requests, so that it is done again: exactly the same to the same request, and the same stubs for the
 * same contents in later requests of its conversation. It is kept in the store, because a client outlives a proxy.
 */
import type { ArtifactStore } from "../../artifacts/artifact-store.ts";
import { ownerKeys } from "../../artifacts/keys.ts";
import { readObject } from "../../artifacts/objects.ts";
import { isUnwritable, systemCode } from "../../errors.ts";
import { hashOutgoing, type OutgoingRequest } from "../wire/outgoing-request.ts";
import {
  type Change,
  hashConversation,
  matchContents,
  matchPaths,
  mergeStubs,
  type RememberedChange,
  toRemembered,
  unchanged,
} from "./remembered-change.ts";

export type RecoveryMemory = {
  /** Whether anything is remembered. If nothing is, no request needs to be parsed. */
  hasAny(): Promise<boolean>;
  /** What is to be done to a request: all that was done to the same one, else the stubs of its conversation. */
  find(original: OutgoingRequest): Promise<FoundChange>;
  /** Remembers what was done to a request. `newStubs` are those that its conversation did not have. */
  remember(original: OutgoingRequest, change: Change, newStubs: Change["stubs"]): Promise<void>;
  /** Drops what was done to exactly this request, because it was refused nevertheless. */
  forget(original: OutgoingRequest): Promise<void>;
};

/** `isSame`: it was done to exactly this request before. */
export type FoundChange = Change & { readonly isSame: boolean };

/** The entries that are held in memory too. The others are read from the store. */
const MAX_HELD_ENTRIES = 500;
const MAX_HELD_CHARS = 32 * 1024 * 1024;

/** The memory of one owner. Where the store cannot be written, it lasts as long as the process. */
export function openRecoveryMemory(store: Pick<ArtifactStore, "owner" | "objects" | "seal">): RecoveryMemory {
  const held = createHeldEntries();
  const keys = ownerKeys(store.owner);
  let storedKeys: Promise<Set<string>> | undefined;

  const listKeys = (): Promise<Set<string>> => (storedKeys ??= readKeys(store, keys.recoveries));

  async function load(name: string): Promise<RememberedChange | undefined> {
    const entry = held.take(name);
    if (entry !== undefined) {
      held.add(name, entry);
      return entry;
    }
    const stored = await listKeys();
    if (stored.size === 0) return undefined;
    const key = keys.recovery(await store.seal(name));
    const json = stored.has(key) ? await readObject(store.objects, key).catch(() => undefined) : undefined;
    const parsed = json && parseEntry(json);
    if (parsed) held.add(name, parsed);
    return parsed;
  }

  /** A store that cannot be written costs one more refusal after a restart, and nothing else. */
  async function save(name: string, entry: RememberedChange): Promise<void> {
    held.take(name);
    held.add(name, entry);
    try {
      const key = keys.recovery(await store.seal(name));
      await store.objects.put(key, Buffer.from(JSON.stringify(entry)), { durable: false });
      (await listKeys()).add(key);
    } catch (error) {
      if (!isUnwritable(error) && systemCode(error) === undefined) throw error;
    }
  }

  return {
    hasAny: async () => held.size() > 0 || (await listKeys()).size > 0,
    async find(original) {
      const same = await load(`request ${hashOutgoing(original)}`);
      if (same !== undefined) return { ...matchPaths(original, same), isSame: true };
      const { stubs } = (await load(`conversation ${hashConversation(original)}`)) ?? unchanged;
      return { clamp: [], stubs: matchContents(original, stubs), isSame: false };
    },
    async remember(original, change, newStubs) {
      await save(`request ${hashOutgoing(original)}`, toRemembered(change));
      if (newStubs.length === 0) return;
      const name = `conversation ${hashConversation(original)}`;
      const { stubs } = (await load(name)) ?? unchanged;
      await save(name, { clamp: [], stubs: mergeStubs(stubs, toRemembered({ clamp: [], stubs: newStubs }).stubs) });
    },
    async forget(original) {
      const name = `request ${hashOutgoing(original)}`;
      held.take(name);
      const key = keys.recovery(await store.seal(name));
      if (!(await listKeys()).delete(key)) return;
      await store.objects.delete(key).catch(() => undefined); // It would only be tried once more.
    },
  };
}

/** The keys of all entries. An unreadable store remembers nothing. */
async function readKeys({ objects }: Pick<ArtifactStore, "objects">, prefix: string): Promise<Set<string>> {
  try {
    return new Set((await Array.fromAsync(objects.list(prefix))).map(({ key }) => key));
  } catch {
    return new Set();
  }
}

/** Undefined if the entry is damaged. */
function parseEntry(json: Uint8Array): RememberedChange | undefined {
  try {
    const entry: Partial<RememberedChange> = JSON.parse(Buffer.from(json).toString("utf8"));
    const isSound = Array.isArray(entry.clamp) && Array.isArray(entry.stubs);
    return isSound ? (entry as RememberedChange) : undefined;
  } catch {
    return undefined;
  }
}

/** Entries in the order of use. The least recently used ones are dropped first. */
function createHeldEntries() {
  const entries = new Map<string, RememberedChange>();
  let chars = 0;
  const charsOf = ({ stubs }: RememberedChange): number => stubs.reduce((sum, { text }) => sum + text.length, 0);

  function take(name: string): RememberedChange | undefined {
    const entry = entries.get(name);
    if (entry !== undefined) chars -= charsOf(entry);
    entries.delete(name);
    return entry;
  }

  function add(name: string, entry: RememberedChange): void {
    entries.set(name, entry);
    chars += charsOf(entry);
    for (const oldest of entries.keys()) {
      if (entries.size === 1 || (entries.size <= MAX_HELD_ENTRIES && chars <= MAX_HELD_CHARS)) break;
      take(oldest);
    }
  }

  return { size: () => entries.size, take, add };
}
