/** Carries admitted requests to model providers, with recovery. Who may ask is decided by the server in front of it. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { systemCode } from "../../errors.ts";
import { findDialect } from "../../overflow/dialects/dialects.ts";
import type { Recovery } from "../../overflow/recovery.ts";
import { answerEarly } from "../../system/early-answer.ts";
import { refuseConnection } from "../../system/refuse-connection.ts";
import { type Call, forwardWithRecovery, passThrough } from "./carry-request.ts";
import { createRelay } from "./relay.ts";
import { upgrade } from "./upgrade.ts";
import { resolveUpstream, type Upstreams } from "./upstreams.ts";

export type ProxyHandlerOptions = {
  readonly upstreams: Upstreams;
  /** What the paths of all requests begin with. */
  readonly path?: string;
  /** The largest request that is held for a retry. */
  readonly bodyBytes: number;
  /** Headers of requests that are for the server in front, in lower case. */
  readonly ownHeaders?: readonly string[];
  /** Headers of answers that clients do not get, in lower case. */
  readonly hiddenHeaders?: readonly string[];
};

/** A request whose sender may use the proxy. */
export type AdmittedRequest = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Its target, which begins with the name of the upstream. */
  readonly target: string;
  /** Whose store keeps what is removed from it. */
  readonly recovery: Recovery;
  /** Where a large request waits in a file, in order of preference. Without any it is held in memory. */
  readonly folders: readonly string[];
};

export type ProxyHandler = Disposable & {
  /** Resolves when the answer has begun. Never throws: what fails is answered. */
  serve(admitted: AdmittedRequest): Promise<void>;
  /** Joins a connection that asks for another protocol with one to the upstream. */
  upgrade(request: IncomingMessage, socket: Duplex, first: Buffer, target: string): void;
};

/** Disposing ends the connections to the upstreams. */
export function createProxyHandler(options: ProxyHandlerOptions): ProxyHandler {
  const { upstreams, path = "", bodyBytes, ownHeaders = [], hiddenHeaders = [] } = options;
  const relay = createRelay();

  async function carry({ request, response, target, recovery, folders }: AdmittedRequest): Promise<void> {
    const { method = "GET" } = request;
    const url = resolveUpstream(upstreams, target);
    if (url === undefined) {
      const prefix = request.url === `${path}${target}` ? path : `${path}/TOKEN`;
      return respondError(response, 404, "unknown_upstream", listUpstreams(upstreams, prefix));
    }
    const disconnect = new AbortController();
    response.once("close", () => {
      if (!response.writableFinished) disconnect.abort();
    });
    const context = { recovery, folders, relay, bodyBytes, ownHeaders, hiddenHeaders };
    const call: Call = { request, response, url, method, context, signal: disconnect.signal };
    const dialect = recovery.mode === "off" ? undefined : findDialect(method, url.pathname);
    return dialect === undefined ? passThrough(call) : forwardWithRecovery(call, dialect);
  }

  return {
    serve: (admitted) =>
      carry(admitted).catch((error: unknown) =>
        respondError(
          admitted.response,
          502,
          "upstream_unreachable",
          `The upstream could not be reached (${systemCode(error) ?? "error"}).`,
        ),
      ),
    upgrade(request, socket, first, target) {
      const url = resolveUpstream(upstreams, target);
      if (url === undefined) refuseConnection(socket, "404 Not Found");
      else upgrade(request, socket, first, url, relay);
    },
    [Symbol.dispose]: () => relay.close(),
  };
}

function listUpstreams(upstreams: Upstreams, prefix: string): string {
  return `The path must begin with one of ${[...upstreams.keys()].map((name) => `${prefix}/${name}`).join(", ")}.`;
}

/** Uses the form that clients of OpenAI and of Anthropic both read. */
export function respondError(response: ServerResponse, status: number, type: string, message: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const body = JSON.stringify({ type: "error", error: { type, message } });
  answerEarly(response, { status, headers: { "content-type": "application/json" }, body });
}
