/** Takes one request through every check, in the same order each time, to its route. What throws is refused. */
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type AdmissionRules,
  admitCaller,
  admitLlmCaller,
  admitSignedIn,
  findBearer,
  tooMany,
} from "../guard/admission.ts";
import type { Caller } from "../guard/callers.ts";
import { type AllowedNames, checkCoding, checkFraming, checkNames } from "../guard/request-checks.ts";
import type { ServeMetrics } from "../metrics.ts";
import { type Refusal, refuse } from "../refusal.ts";
import { type Exchange, findRoute, type Route } from "../routes.ts";
import { allowOrigin, answerPreflight } from "./cross-origin.ts";
import { createBodyReader, type HeldBytes } from "./read-body.ts";
import { endWithToken, TOKEN_CHECK_MS } from "./token-watch.ts";

export type DispatchOptions = AdmissionRules & {
  readonly routes: readonly Route[];
  readonly names: () => AllowedNames;
  readonly maxBodyBytes: number;
  /** Requests of one owner that may be open. */
  readonly maxOpenPerOwner: number;
  /** Whether no more requests are taken. */
  readonly isStopping: () => boolean;
  readonly metrics: ServeMetrics;
  readonly log: (line: string) => void;
};

export interface Dispatcher {
  serve(request: IncomingMessage, response: ServerResponse): void;
  /** Requests that are being answered. */
  readonly open: number;
  /** Resolves when no request is being answered. */
  idle(): Promise<void>;
}

export function createDispatcher(options: DispatchOptions): Dispatcher {
  const { routes, names, metrics, log } = options;
  const held: HeldBytes = { current: 0 };
  const openByOwner = new Map<string, number>();
  const waiters: (() => void)[] = [];
  let open = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<string> {
    const framing = checkFraming(request);
    if (framing !== undefined) return deny(response, framing);
    const url = new URL(request.url ?? "/", "http://localhost");
    const route = findRoute(routes, url);
    const coding = route?.access === "llm" ? undefined : checkCoding(request);
    const refusal = coding ?? (route?.access === "probe" ? undefined : checkNames(request, names()));
    if (refusal !== undefined) return deny(response, refusal);
    allowOrigin(request, response);
    if (route === undefined) return deny(response, { status: 404, message: "There is nothing at this path." });
    if (answerPreflight(request, response, route)) return route.name;
    const exchange = { request, response, url };
    const wrongMethod = checkMethod(request, route);
    if (route.access === "probe" || route.access === "public") {
      if (wrongMethod !== undefined) refuse(response, wrongMethod);
      else await route.serve(exchange);
      return route.name;
    }
    if (options.isStopping()) return deny(response, stopping);
    if (route.access === "llm") await serveLlm(route, exchange, wrongMethod);
    else await serveAdmitted(route, exchange, wrongMethod);
    return route.name;
  }

  async function serveAdmitted(route: CallerRoute, exchange: Exchange, wrongMethod: Refusal | undefined) {
    const { request, response } = exchange;
    const admit = route.access === "signed-in" ? admitSignedIn : admitCaller;
    const admission = await admit(request, options);
    if ("refusal" in admission) refuse(response, admission.refusal);
    else if (route.access === "admin" && !admission.caller.isAdmin) refuse(response, notAdmin);
    else if (wrongMethod !== undefined) refuse(response, wrongMethod);
    else {
      const { caller } = admission;
      if (request.method === "GET") endWithToken(response, () => isStillCaller(route, request, caller), TOKEN_CHECK_MS);
      await countOpen(caller, response, () => serveCaller(route, exchange, caller));
    }
  }

  /** Whether the token of an open request is still that of its caller. */
  async function isStillCaller(route: CallerRoute, request: IncomingMessage, { owner }: Caller): Promise<boolean> {
    const find =
      route.access === "signed-in" ? options.findSignedIn : (each: IncomingMessage) => findBearer(each, options);
    return (await find(request))?.owner === owner;
  }

  async function serveLlm(route: LlmRoute, exchange: Exchange, wrongMethod: Refusal | undefined): Promise<void> {
    const { request, response } = exchange;
    const admission = await admitLlmCaller(request, route.path, options);
    if ("refusal" in admission) return refuse(response, admission.refusal);
    if (wrongMethod !== undefined) return refuse(response, wrongMethod);
    const { caller, target } = admission;
    await countOpen(caller, response, async () => {
      if (request.headers.expect !== undefined) response.writeContinue();
      await route.serve({ ...exchange, caller, target });
    });
  }

  /** Refuses the request if the owner has too many open ones. */
  async function countOpen({ owner }: Caller, response: ServerResponse, work: () => Promise<void>): Promise<void> {
    const count = openByOwner.get(owner) ?? 0;
    if (count >= options.maxOpenPerOwner) return refuse(response, tooMany("Too many requests are open.", 1));
    openByOwner.set(owner, count + 1);
    try {
      await work();
    } finally {
      const left = (openByOwner.get(owner) ?? 1) - 1;
      if (left === 0) openByOwner.delete(owner);
      else openByOwner.set(owner, left);
    }
  }

  async function serveCaller(route: CallerRoute, exchange: Exchange, caller: Caller): Promise<void> {
    const { request, response } = exchange;
    const type = checkType(request, route);
    if (type !== undefined) return refuse(response, type);
    if (request.headers.expect !== undefined) response.writeContinue();
    using reader = createBodyReader(options.maxBodyBytes, held);
    const body = await reader.read(request);
    if ("refusal" in body) return refuse(response, body.refusal);
    await route.serve({ ...exchange, caller, body: body.text });
  }

  return {
    serve(request, response) {
      const startedAt = performance.now();
      open++;
      // A client that breaks off is not an error of ours.
      request.on("error", () => response.destroy());
      answer(request, response)
        .catch((error: unknown) => {
          // A client that leaves, or breaks its body, is not an error of ours, and could fill the log.
          if (error === request.errored) {
            response.statusCode = CLIENT_LEFT;
            return "broken_off";
          }
          log(`a request failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
          refuse(response, {
            status: 500,
            message: "The request could not be checked or answered; the server's log says why.",
          });
          return "failed";
        })
        .then((route) => {
          metrics.add(route, response.statusCode, (performance.now() - startedAt) / 1_000);
          open--;
          if (open === 0) for (const done of waiters.splice(0)) done();
        });
    },
    get open() {
      return open;
    },
    idle: () => new Promise((done) => (open === 0 ? done() : waiters.push(done))),
  };
}

/** What servers write in their logs for a client that left; it is never sent. */
const CLIENT_LEFT = 499;

type CallerRoute = Extract<Route, { readonly access: "token" | "admin" | "signed-in" }>;
type LlmRoute = Extract<Route, { readonly access: "llm" }>;

const notAdmin: Refusal = { status: 403, message: "This needs an admin token: spillway token add NAME --admin." };

const stopping: Refusal = {
  status: 503,
  message: "The server is stopping. Try again in 5 s.",
  headers: { "retry-after": "5" },
};

function deny(response: ServerResponse, refusal: Refusal): string {
  refuse(response, refusal);
  return "refused";
}

function checkMethod({ method = "" }: IncomingMessage, { methods }: Route): Refusal | undefined {
  if (methods.includes(method)) return undefined;
  const allow = methods.join(", ");
  return { status: 405, message: `Use ${allow}.`, headers: { allow } };
}

function checkType({ method, headers }: IncomingMessage, { takesJson }: CallerRoute): Refusal | undefined {
  if (!takesJson) return undefined;
  if (method === "POST" && !/^application\/json *(?:;|$)/i.test(headers["content-type"] ?? ""))
    return { status: 415, message: "Send JSON: Content-Type: application/json." };
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  return method !== "POST" && hasBody ? { status: 400, message: `${method} takes no body.` } : undefined;
}
