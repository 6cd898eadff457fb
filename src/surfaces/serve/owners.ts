/** The session of each owner: its own artifacts, projects, runs and events, over one store and one HTTP client. */
import { tmpdir } from "node:os";
import { openHttpClient } from "../../acquire/http/lazy-client.ts";
import type { Storage } from "../../artifacts/storage.ts";
import type { Settings } from "../../config/settings.ts";
import { openSession, type Session } from "../../session/session.ts";
import type { Caller } from "./guard/callers.ts";

export type OwnersOptions = {
  readonly settings: Settings;
  /** The store of all owners. */
  readonly storage: Storage;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends all work of all owners. */
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
  readonly now: () => number;
};

/** The session of a caller, which stays open until it is disposed. */
export type OwnerSession = Disposable & { readonly session: Session };

export interface Owners extends AsyncDisposable {
  open(caller: Caller): Promise<OwnerSession>;
  /** How many owners have an open session. */
  readonly count: number;
}

/** Sessions that stay open while nothing runs in them. */
const MAX_IDLE_SESSIONS = 256;

/** A run lasts as long as a working day: what a run may keep is limited. */
const MAX_RUN_MS = 24 * 60 * 60 * 1_000;

type Opened = Session & AsyncDisposable;
type Entry = { readonly session: Promise<Opened>; readonly openedAt: number; users: number };

export function openOwners(options: OwnersOptions): Owners {
  const { settings, storage, env, signal, log, now } = options;
  const network = openHttpClient({ settings, env, now });
  const entries = new Map<string, Entry>();
  const closing = new Set<Promise<unknown>>();

  function enter(owner: string): Entry {
    const current = entries.get(owner);
    if (current !== undefined && now() - current.openedAt < MAX_RUN_MS) return current;
    if (current !== undefined) remove(owner, current);
    const own = { owner, cwd: tmpdir(), confined: true };
    const session = openSession({ ...own, settings, storage, env, network, signal, log, now });
    const entry: Entry = { session, openedAt: now(), users: 0 };
    entries.set(owner, entry);
    session.catch(() => entries.delete(owner)); // The next request tries again.
    return entry;
  }

  /** The session is closed when its last user has finished. */
  function remove(owner: string, entry: Entry): void {
    if (entries.get(owner) === entry) entries.delete(owner);
    if (entry.users === 0) close(entry);
  }

  function close({ session }: Entry): void {
    const work = session
      .then((opened) => opened[Symbol.asyncDispose]())
      .catch((error: unknown) => log(`a session could not be closed: ${String(error)}`))
      .finally(() => closing.delete(work));
    closing.add(work);
  }

  function leave(owner: string, entry: Entry): void {
    entry.users--;
    if (entries.get(owner) !== entry && entry.users === 0) close(entry);
    const idle = entries.size > MAX_IDLE_SESSIONS && [...entries].find(([, each]) => each.users === 0);
    if (idle) remove(...idle);
  }

  return {
    async open(caller) {
      const { owner } = caller;
      const entry = enter(owner);
      // The owners used last are at the end.
      entries.delete(owner);
      entries.set(owner, entry);
      entry.users++;
      try {
        const session = confine(await entry.session, caller);
        return { session, [Symbol.dispose]: makeOnce(() => leave(owner, entry)) };
      } catch (error) {
        leave(owner, entry);
        throw error;
      }
    },
    get count() {
      return entries.size;
    },
    async [Symbol.asyncDispose]() {
      for (const entry of entries.values()) close(entry);
      entries.clear();
      await Promise.all(closing);
      await network[Symbol.asyncDispose]();
    },
  };
}

function makeOnce(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

/** Local files only in the folders of the caller's token, and in the clones that were made for this owner. */
function confine(session: Session, { folders }: Caller): Session {
  const { cloneFolder } = session;
  const roots = [...folders, ...(cloneFolder === null ? [] : [cloneFolder])];
  return { ...session, cwd: folders[0] ?? cloneFolder ?? session.cwd, roots };
}
