/** The links to wrapped servers that are open. There is room for so many; idle ones end to make room, and after a while. */

/** A link of one owner. */
export type LiveLink = {
  readonly owner: string;
  /** The servers behind it, each with a process or a connection. */
  readonly servers: number;
  usedAt: number;
  /** Whether it is starting, or something is being answered. */
  readonly isBusy: () => boolean;
  end(): Promise<void>;
};

export type LinkLimits = {
  /** Servers of all owners, and of one. */
  readonly servers: number;
  readonly serversPerOwner: number;
  /** A link ends after this long without a request. */
  readonly idleMs: number;
  readonly now: () => number;
};

export interface LiveLinks extends AsyncDisposable {
  /** Adds a link, and ends idle ones to make room for it; false if there is no room. */
  add(link: LiveLink): boolean;
  /** False after a link has ended. */
  has(link: LiveLink): boolean;
  /** Ends a link. */
  end(link: LiveLink): Promise<void>;
  /** How many servers are running or connected. */
  readonly servers: number;
}

/** How often idle links are looked for. */
const CHECK_MS = 5_000;

export function createLiveLinks({ servers: maxServers, serversPerOwner, idleMs, now }: LinkLimits): LiveLinks {
  const links = new Set<LiveLink>();
  const ending = new Set<Promise<void>>();
  const sumServers = (of: Iterable<LiveLink>): number => [...of].reduce((sum, { servers }) => sum + servers, 0);
  const listOf = (owner: string): LiveLink[] => [...links].filter((link) => link.owner === owner);

  function end(link: LiveLink): Promise<void> {
    if (!links.delete(link)) return Promise.resolve();
    const work = link.end().finally(() => ending.delete(work));
    ending.add(work);
    return work;
  }

  /** Ends the idle link that was used longest ago; false if all are at work. */
  function endIdle(candidates: readonly LiveLink[]): boolean {
    const [oldest] = candidates.filter(({ isBusy }) => !isBusy()).toSorted((one, other) => one.usedAt - other.usedAt);
    if (oldest !== undefined) void end(oldest);
    return oldest !== undefined;
  }

  /** The owners with most servers give theirs up first. */
  function endIdleOfLargest(): boolean {
    const owners = [...new Set([...links].map(({ owner }) => owner))];
    const bySize = owners.map(listOf).toSorted((one, other) => sumServers(other) - sumServers(one));
    return bySize.some(endIdle);
  }

  const check = setInterval(() => {
    for (const link of links) if (!link.isBusy() && now() - link.usedAt > idleMs) void end(link);
  }, CHECK_MS);
  check.unref();

  return {
    add(link) {
      const { owner, servers } = link;
      while (sumServers(listOf(owner)) + servers > serversPerOwner) if (!endIdle(listOf(owner))) return false;
      while (sumServers(links) + servers > maxServers) if (!endIdleOfLargest()) return false;
      links.add(link);
      return true;
    },
    has: (link) => links.has(link),
    end,
    get servers() {
      return sumServers(links);
    },
    async [Symbol.asyncDispose]() {
      clearInterval(check);
      await Promise.all([...links].map(end));
      await Promise.all(ending);
    },
  };
}
