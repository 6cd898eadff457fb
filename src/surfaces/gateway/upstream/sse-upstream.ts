/** A server over HTTP with SSE, the transport of revision 2024-11-05: one stream of answers, and an address to post to. */
import { redactUrl } from "../../../system/redact-url.ts";
import { parseMessage, readId, toText, writeError } from "../json-rpc.ts";
import { readBody, toChunks } from "./http-upstream.ts";
import { readEvents } from "./sse-events.ts";
import { createLineQueue, type Upstream } from "./upstream.ts";

export type SseOptions = {
  readonly url: string;
  /** Headers from the user's file, such as `Authorization`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
  log(sentence: string): void;
};

/** How long a server may take to name its address. */
const ENDPOINT_MS = 30_000;

/** Opens the stream with the first message. Its end is the end of the server, which is then opened again when needed. */
export function openSseUpstream({ url, headers, fetch, log }: SseOptions): Upstream {
  const queue = createLineQueue();
  const ended = Promise.withResolvers<string>();
  const lifetime = new AbortController();
  const { signal } = lifetime;
  let endpoint: Promise<string> | undefined;

  function end(reason: string): void {
    lifetime.abort();
    queue.close();
    ended.resolve(reason);
  }

  /** Resolves with the address to post to. */
  async function listen(): Promise<string> {
    const named = Promise.withResolvers<string>();
    const timer = setTimeout(
      () => named.reject(new Error(`it named no address within ${ENDPOINT_MS / 1_000} s`)),
      ENDPOINT_MS,
    );
    void read(named.resolve)
      .then(
        () => "The server closed its stream.",
        (error: unknown) => describe(error, url),
      )
      .then((reason) => {
        named.reject(new Error(reason));
        end(reason);
      });
    return named.promise.finally(() => clearTimeout(timer));
  }

  async function read(onEndpoint: (address: string) => void): Promise<void> {
    const reply = await fetch(url, {
      headers: { ...headers, accept: "text/event-stream" },
      redirect: "manual",
      signal,
    });
    if (!reply.ok || !/^text\/event-stream\b/i.test(reply.headers.get("content-type") ?? "")) {
      await readBody(reply);
      throw new Error(`it answered with HTTP ${reply.status} and no stream of events`);
    }
    for await (const { data, name } of readEvents(toChunks(reply))) {
      if (name === "endpoint") onEndpoint(toEndpoint(data, url));
      else if (parseMessage(data) !== undefined) await queue.push(data.replaceAll("\n", " "));
    }
  }

  async function post(line: string): Promise<void> {
    endpoint ??= listen();
    const reply = await fetch(await endpoint, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: line,
      redirect: "manual",
      signal,
    });
    await readBody(reply);
    if (!reply.ok) throw new Error(`it answered with HTTP ${reply.status}`);
  }

  return {
    lines: queue,
    ended: ended.promise,
    async write(line) {
      post(line).catch(async (error: unknown) => {
        if (signal.aborted) return;
        const json = parseMessage(line)?.json ?? {};
        const id = toText(json.method) === undefined ? undefined : readId(json);
        if (id === undefined) log(describe(error, url));
        else await queue.push(writeError(id, -32000, describe(error, url)));
      });
      return undefined;
    },
    async stop() {
      end("The connection was closed.");
    },
  };
}

/** Messages may hold keys, so they are posted to the server that was named and nowhere else. */
function toEndpoint(data: string, url: string): string {
  const address = URL.parse(data.trim(), url);
  if (address?.origin === new URL(url).origin) return address.href;
  throw new Error("it named an address of another server");
}

function describe(error: unknown, url: string): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return `The server at ${redactUrl(url)} could not be used: ${cause instanceof Error ? cause.message : String(cause)}.`;
}
