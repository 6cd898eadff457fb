/** One server behind its relay. A server that dies is started again when it is next needed, not at once and not for ever. */
import { keyOf, parseMessage, readId, toText } from "./json-rpc.ts";
import { createRelay, type RelayOptions } from "./relay.ts";
import type { Upstream } from "./upstream/upstream.ts";

/** What a client is connected to: one server, or several as one. */
export type Link = {
  /** Takes a line from the client. */
  fromClient(line: string): Promise<void>;
  /** Resolves when nothing can be served any more, with the reason. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
};

export type LinkOptions = Omit<RelayOptions, "toServer"> & {
  start(): Upstream;
};

/** Deaths in a row, without an answer between them, after which a server is given up. */
const MAX_DEATHS = 5;

/** How long a server is left alone after its second death in a row; twice as long after each further one. */
const FIRST_WAIT_MS = 1_000;

/** How long the last lines of a stopped server are waited for. */
const DRAIN_MS = 1_000;

/** Opens the link and starts the server. */
export function openLink(options: LinkOptions): Link {
  const { server, session, log } = options;
  const relay = createRelay({ ...options, toServer: send });
  const ended = Promise.withResolvers<string>();
  let handshake: { readonly initialize: string; initialized?: string } | undefined;
  let running: Running | undefined = run(options.start());
  let hasAnswered = false;
  let deaths = 0;
  let retryAt = 0;
  let lastReason = "";
  let isStopping = false;

  /** Passes on what a server says until it ends. */
  function run(upstream: Upstream): Running {
    const replies = new Map<string, () => void>();
    const done = pump(upstream, async (line) => {
      // A line may have megabytes, and the relay parses it again: only a new process owes us a reply.
      const id = replies.size === 0 ? undefined : readId(parseMessage(line)?.json ?? {});
      const expected = id === undefined ? undefined : replies.get(keyOf(id));
      if (id !== undefined && expected !== undefined) {
        replies.delete(keyOf(id));
        return expected();
      }
      [hasAnswered, deaths] = [true, 0];
      await relay.fromServer(line);
    });
    void done.then((problem) => onEnd(upstream, problem));
    return { upstream, replies, done };
  }

  async function onEnd(upstream: Upstream, problem: string | undefined): Promise<void> {
    if (isStopping) return;
    running = undefined;
    if (problem !== undefined) void upstream.stop();
    lastReason = problem ?? (await upstream.ended);
    deaths += 1;
    log(lastReason);
    const isLost = !hasAnswered || deaths >= MAX_DEATHS;
    const waitMs = deaths < 2 ? 0 : FIRST_WAIT_MS * 2 ** (deaths - 2);
    retryAt = session.now() + waitMs;
    await relay.fail(`${lastReason} ${isLost ? GIVEN_UP : "It is started again by the next call."}`);
    if (isLost) ended.resolve(lastReason);
  }

  async function send(line: string): Promise<void> {
    if (running === undefined && session.now() < retryAt) {
      const seconds = Math.ceil((retryAt - session.now()) / 1_000);
      return relay.fail(`${lastReason} It is not started again before ${seconds} s have passed: call again then.`);
    }
    running ??= await restart();
    const problem = await running.upstream.write(line);
    if (problem !== undefined) await relay.fail(problem);
  }

  /** The client knows nothing of the new process, so its handshake is repeated here. */
  async function restart(): Promise<Running> {
    log(`${server} is started again`);
    const next = run(options.start());
    if (handshake === undefined) return next;
    const json = { ...parseMessage(handshake.initialize)?.json, id: `spillway-restart-${crypto.randomUUID()}` };
    const { promise: greeted, resolve } = Promise.withResolvers<void>();
    next.replies.set(keyOf(json.id), resolve);
    await next.upstream.write(JSON.stringify(json));
    await Promise.race([greeted, next.done]);
    if (handshake.initialized !== undefined) await next.upstream.write(handshake.initialized);
    return next;
  }

  async function fromClient(line: string): Promise<void> {
    const method = toText(parseMessage(line)?.json.method);
    if (method === "initialize") handshake = { initialize: line };
    if (method === "notifications/initialized" && handshake !== undefined) handshake.initialized = line;
    await relay.fromClient(line);
  }

  async function stop(): Promise<void> {
    isStopping = true;
    if (running === undefined) return;
    await running.upstream.stop();
    let timer: NodeJS.Timeout | undefined;
    const drained = new Promise((resolve) => {
      timer = setTimeout(resolve, DRAIN_MS);
    });
    await Promise.race([running.done, drained]);
    clearTimeout(timer);
  }

  return { fromClient, ended: ended.promise, stop };
}

const GIVEN_UP =
  "Check its command and its environment: it gets only the variables that --env or gateway.jsonc name, then start it again.";

/** A running server, and the replies to us that the client must not see. */
type Running = {
  readonly upstream: Upstream;
  readonly replies: Map<string, () => void>;
  /** Resolves when its last line was handled, with what is wrong with its output, if anything. */
  readonly done: Promise<string | undefined>;
};

async function pump(upstream: Upstream, handle: (line: string) => Promise<void>): Promise<string | undefined> {
  try {
    for await (const line of upstream.lines) await handle(line);
    return undefined;
  } catch (error) {
    return `The server was ended: ${error instanceof Error ? error.message : String(error)}.`;
  }
}
