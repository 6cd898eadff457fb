/** The way to other hosts: guarded, polite, bounded in time, and honest about what it could not check. */
import type { Environment } from "../../config/paths.ts";
import type { Settings } from "../../config/settings.ts";
import { SpillwayError } from "../../errors.ts";
import { clipped } from "../../system/safe-names.ts";
import { version } from "../../version.ts";
import { untilAborted } from "../abortable.ts";
import type { OpenAsk, Opened, PagePreference, Unchanged } from "../source.ts";
import { type Guard, makeGuard } from "./address-guard.ts";
import { acceptedEncodings } from "./content-encoding.ts";
import { credentialsFrom } from "./credentials.ts";
import { conditions, freshnessOf, hopFreshness, strictest, type Validators } from "./freshness.ts";
import { machineWires, type Wires } from "./guarded-connect.ts";
import { takeTurns } from "./host-delay.ts";
import { alternateLookBytes, markdownAlternate } from "./markdown-link.ts";
import { deadlineError, statusError } from "./network-errors.ts";
import { peek } from "./peek-chunks.ts";
import { type Exchange, follow, type Reply } from "./redirects.ts";
import { type ReplyBody, replyBody } from "./response-body.ts";
import { parseRobots, type Robots } from "./robots.ts";
import { type Lane, openTransport, type Transport } from "./undici-transport.ts";
import { nameOf } from "./url.ts";

export type NetworkAsk = OpenAsk & {
  readonly prefers: PagePreference;
  readonly validators?: Validators;
  /** The caller's own headers; dropped when a redirect leaves the origin. */
  readonly headers?: Readonly<Record<string, string>>;
};

export type PostAsk = {
  readonly json: string;
  readonly timeoutMs: number;
  /** A longer answer is refused. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
};

/** Connections are shared by all who share a network; closing it ends them. */
export type Network = AsyncDisposable & {
  open(url: URL, ask: NetworkAsk): Promise<Opened | Unchanged>;
  /**
   * Sends JSON to a service that the user's own settings name, and gives its answer. Being named allows the service's
   * host and port, and nothing else; network.deny still holds, and no redirect is followed.
   */
  post(service: URL, ask: PostAsk): Promise<string>;
  /** All that decides which bytes come for a URL, credentials included: only ever handed to a hash. */
  fingerprint(url: URL, prefers: PagePreference): Promise<string>;
};

export type NetworkOptions = {
  readonly settings: Settings;
  readonly env: Environment;
  readonly now?: () => number;
  /** How names are looked up and addresses dialled. Default: by this machine. */
  readonly wires?: Wires;
  /** Default: the one made from the settings. */
  readonly guard?: Guard;
  /** How to wait between two tries. Default: by the clock. */
  readonly pause?: Exchange["pause"];
};

const accepts: Readonly<Record<PagePreference, string>> = {
  markdown: "text/markdown, text/html;q=0.9, */*;q=0.8",
  source: "text/html, application/xhtml+xml, */*;q=0.8",
};

/** The network behind `openNetwork`; nothing is connected before the first fetch. */
export function makeNetwork(options: NetworkOptions): Network {
  const { settings, env, now = Date.now, wires = machineWires, pause } = options;
  const lists = { allow: settings["network.allow"], deny: settings["network.deny"] };
  const guard = options.guard ?? makeGuard(lists);
  // What was fetched under other rules does not answer under these.
  const rules = [settings["network.allow"], settings["network.deny"]];
  const credentials = credentialsFrom(settings["network.headers"], env);
  const userAgent = sendable(settings["network.user_agent"] ?? `Spillway/${version} (retrieval for AI agents)`);
  const transport = openTransport({ settings, env, wires, guard });
  const serviceTransports = rememberedTransports(({ host, hostname, protocol }) => {
    const port = host === hostname ? (protocol === "https:" ? ":443" : ":80") : "";
    const named = makeGuard({ ...lists, allow: [...lists.allow, `${host}${port}`] });
    return openTransport({ settings, env, wires, guard: options.guard ?? named });
  });
  const takeTurn = takeTurns(settings["network.delay"], now);
  const robots = rememberedRobots(now);

  async function open(url: URL, ask: NetworkAsk): Promise<Opened | Unchanged> {
    const timeoutMs = settings["network.timeout"];
    const deadline = AbortSignal.timeout(timeoutMs);
    const late = () => deadlineError(url, timeoutMs);
    const { signal, incoming } = ask;
    const limits = { expansion: settings["network.expansion"], deadline, late, signal, incoming };
    try {
      ask.signal.throwIfAborted();
      const exchange = exchangeFor(ask, AbortSignal.any([ask.signal, deadline]));
      const reply = await follow(url, exchange);
      if (reply.status === 304 && ask.validators) return unchanged(reply);
      requireContent(reply);
      const page = { reply, body: replyBody(reply, limits) };
      const beside = { ...exchange, send: sender("beside") };
      const chosen = await preferMarkdown(page, ask, beside, (alternate) => replyBody(alternate, limits));
      return opened(chosen, reply, url);
    } catch (error) {
      ask.signal.throwIfAborted();
      throw deadline.aborted && !(error instanceof SpillwayError) ? late() : error;
    }
  }

  function sender(lane: Lane): Exchange["send"] {
    return async (url, headers, until) => {
      if (settings["network.robots"] === "on") await requireAllowed(url, until);
      await takeTurn(url.host, until);
      return transport.request(url, headers, until, { lane });
    };
  }

  async function post(service: URL, ask: PostAsk): Promise<string> {
    const deadline = AbortSignal.timeout(ask.timeoutMs);
    const late = () => deadlineError(service, ask.timeoutMs);
    const transportToIt = serviceTransports(service);
    const base = exchangeFor({ prefers: "source", signal: ask.signal }, AbortSignal.any([ask.signal, deadline]));
    const exchange: Exchange = {
      ...base,
      headersFor: (url) => ({
        ...base.headersFor(url),
        accept: "application/json",
        "content-type": "application/json",
      }),
      async send(url, headers, until) {
        if (url.href !== service.href) throw redirected(service);
        return transportToIt.request(url, headers, until, { body: ask.json });
      },
    };
    try {
      const reply = await follow(service, exchange);
      requireContent(reply);
      const limits = { expansion: settings["network.expansion"], deadline, late, signal: ask.signal };
      return await readAll(replyBody(reply, limits), reply, ask.maxBytes);
    } catch (error) {
      ask.signal.throwIfAborted();
      throw deadline.aborted && !(error instanceof SpillwayError) ? late() : error;
    }
  }

  function exchangeFor(ask: NetworkAsk, signal: AbortSignal): Exchange {
    return {
      send: sender("first"),
      headersFor: (url) => ({
        accept: accepts[ask.prefers],
        "accept-encoding": acceptedEncodings,
        "user-agent": userAgent,
        ...(ask.noCache ? { "cache-control": "no-cache" } : {}),
        ...conditions(ask.validators, url),
        ...credentials.headersFor(url),
      }),
      callerHeaders: ask.headers ?? {},
      signal,
      tries: settings["network.tries"],
      longestWaitMs: settings["network.retry_wait"],
      ...(pause ? { pause } : {}),
    };
  }

  async function requireAllowed(url: URL, signal: AbortSignal): Promise<void> {
    // Others wait for the same file: whoever leaves does not take it with them.
    const allows = await untilAborted(
      robots(url.origin, () => readRobots(url)),
      signal,
    );
    if (allows(`${url.pathname}${url.search}`)) return;
    throw new SpillwayError("network_refused", `The robots.txt of ${clipped(url.host)} disallows this page.`, {
      hint: "Fetch another source, or set network.robots to off.",
    });
  }

  /** Without a file everything is allowed. */
  async function readRobots(page: URL): Promise<Robots> {
    const signal = AbortSignal.timeout(settings["network.timeout"]);
    const ask: NetworkAsk = { prefers: "source", signal };
    const send: Exchange["send"] = (url, headers, until) => transport.request(url, headers, until);
    const reply = await follow(new URL("/robots.txt", page), { ...exchangeFor(ask, signal), send });
    if (reply.status >= 300) reply.discard();
    if (reply.status >= 500) throw robotsMissing(page, reply.status);
    if (reply.status >= 300) return () => true;
    const body = replyBody(reply, {
      expansion: settings["network.expansion"],
      deadline: signal,
      late: () => deadlineError(page, settings["network.timeout"]),
      signal,
    });
    const { head } = await peek(body.chunks, robotsBytes);
    reply.discard();
    return parseRobots(head.subarray(0, robotsBytes).toString("utf8"), "spillway");
  }

  function unchanged(reply: Reply): Unchanged {
    reply.discard();
    return { unchanged: true, freshness: freshnessOf(reply.headers, reply.url, now()) };
  }

  function opened({ reply, body }: Page, first: Reply, url: URL): Opened {
    const { status, headers } = reply;
    const alternate = reply !== first;
    const ofPage = freshnessOf(first.headers, first.url, now());
    const others = [...first.hops.map((hop) => hopFreshness(hop, now())), ...(alternate ? [ofPage] : [])];
    const freshness = status === 200 ? strictest(freshnessOf(headers, reply.url, now()), others) : undefined;
    return {
      chunks: body.chunks,
      name: nameOf(reply.url, headers),
      headers,
      location: reply.url.href,
      response: {
        statusCode: status,
        notes: [
          ...notesOn(first, url),
          ...(alternate ? [`Read as Markdown from ${shown(reply.url)}.`] : []),
          ...body.notes,
        ],
        shortfall: () => (status === 206 ? "the server sent a part only" : body.shortfall()),
        // The validators of an alternate say nothing of the page that will be asked for.
        freshness: freshness && alternate ? { ...freshness, validators: null } : freshness,
      },
    };
  }

  return {
    open,
    post,
    fingerprint: async (url, prefers) =>
      JSON.stringify([url.href, accepts[prefers], userAgent, rules, credentials.fingerprint]),
    async [Symbol.asyncDispose]() {
      await Promise.all([transport, ...serviceTransports.opened()].map((each) => each[Symbol.asyncDispose]()));
    },
  };
}

function sendable(userAgent: string): string {
  if (/^[\x20-\x7e]+$/.test(userAgent)) return userAgent;
  throw new SpillwayError("config_invalid", "The setting network.user_agent cannot be sent.", {
    hint: "Use letters, digits and signs of ASCII only.",
  });
}

type Page = { readonly reply: Reply; readonly body: ReplyBody };

/** One way for each service, opened when it is first used. */
function rememberedTransports(openTo: (service: URL) => Transport) {
  const known = new Map<string, Transport>();
  const find = (service: URL): Transport => {
    const transport = known.get(service.origin) ?? openTo(service);
    known.set(service.origin, transport);
    return transport;
  };
  return Object.assign(find, { opened: () => known.values() });
}

function redirected({ host }: URL): SpillwayError {
  return new SpillwayError(
    "network_refused",
    `${clipped(host)} leads elsewhere, and what is sent to it is not sent on.`,
    {
      hint: "Name the address that it leads to in the setting.",
    },
  );
}

async function readAll({ chunks, shortfall }: ReplyBody, reply: Reply, maxBytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    pieces.push(chunk);
    if (bytes > maxBytes) break;
  }
  const missing = bytes > maxBytes ? `more than ${maxBytes} bytes` : shortfall();
  if (missing === undefined) return Buffer.concat(pieces).toString("utf8");
  reply.discard();
  throw new SpillwayError("response_invalid", `The answer of ${clipped(reply.url.host)} cannot be used: ${missing}.`, {
    hint: "Try again; if it stays so, look at that service.",
  });
}

const robotsBytes = 500 * 1024;
const robotsAgeMs = 60 * 60 * 1_000;

/** One answer per site and hour; a file that could not be had is asked for again. */
function rememberedRobots(now: () => number) {
  const known = new Map<string, { readonly until: number; readonly rules: Promise<Robots> }>();
  return async (origin: string, read: () => Promise<Robots>): Promise<Robots> => {
    const found = known.get(origin);
    if (found && found.until > now()) return found.rules;
    const rules = read();
    known.set(origin, { until: now() + robotsAgeMs, rules });
    rules.catch(() => known.delete(origin));
    return rules;
  };
}

/** RFC 9309: while the server cannot say, nothing is fetched; the next fetch asks again. */
function robotsMissing({ host }: URL, status: number): SpillwayError {
  return new SpillwayError("network_failed", `The robots.txt of ${clipped(host)} cannot be had: HTTP ${status}.`, {
    hint: "Try again later, or set network.robots to off.",
  });
}

/** Only what brings content goes on; everything else is a status the caller must hear of. */
function requireContent(reply: Reply): void {
  const { status } = reply;
  if (status >= 200 && status < 300 && status !== 204 && status !== 205) return;
  reply.discard();
  const asked = reply.headers["retry-after"];
  const later =
    asked && (status === 429 || status === 503) ? `It asks to wait: Retry-After ${clipped(asked, 40)}.` : undefined;
  throw statusError(status, later);
}

/** A page that names a Markdown form of itself is read in that form, if it can be had and is text. */
async function preferMarkdown(
  page: Page,
  { prefers, signal: wish }: NetworkAsk,
  { send, headersFor, signal }: Exchange,
  bodyOf: (reply: Reply) => ReplyBody,
): Promise<Page> {
  const { reply, body } = page;
  if (prefers !== "markdown" || reply.status !== 200 || !/^(text\/html|application\/xhtml)/i.test(typeOf(reply)))
    return page;
  const { head, chunks } = await peek(body.chunks, alternateLookBytes);
  const url = markdownAlternate(reply.url, reply.headers.link ?? "", head.subarray(0, alternateLookBytes));
  const found = url && (await readAlternate(url));
  if (!found) return { reply, body: { ...body, chunks } };
  reply.discard();
  return found;

  /** Whatever is wrong with it, there is the page itself. */
  async function readAlternate(target: URL): Promise<Page | undefined> {
    try {
      const response = await send(target, headersFor(target), signal);
      const alternate = { ...response, url: target, hops: [] };
      const itsBody = bodyOf(alternate);
      const text = response.status === 200 && /^text\/(markdown|x-markdown|plain)\b/i.test(typeOf(response));
      const start = text ? await peek(itsBody.chunks, 1_024) : undefined;
      if (start && start.head.length > 0 && !start.head.includes(0)) {
        return { reply: alternate, body: { ...itsBody, chunks: start.chunks } };
      }
      response.discard();
    } catch (error) {
      // Where only the time is up, there is what came of the page.
      if (wish.aborted) throw error;
    }
    return undefined;
  }
}

const typeOf = ({ headers }: Pick<Reply, "headers">): string => headers["content-type"]?.trim() ?? "";

function notesOn({ url: final, proxied, status }: Reply, asked: URL): string[] {
  return [
    ...(final.href === asked.href ? [] : [`Redirected to ${shown(final)}.`]),
    ...(status === 206 ? ["The server sent only a part although the whole was asked for."] : []),
    ...(proxied ? ["Fetched through a proxy: the host's name was checked, its address could not be."] : []),
  ];
}

const shown = (url: URL): string => clipped(url.href, 160);
