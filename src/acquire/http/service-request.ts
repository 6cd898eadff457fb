/** Requests to services that the user's settings name, each over a transport of its own. */
import { SpillwayError } from "../../errors.ts";
import { clip } from "../../system/safe-names.ts";
import { openResponseBody, type ResponseBody } from "./body/response-body.ts";
import { withDeadline } from "./deadline.ts";
import { assertHasContent, type FinalResponse, followRedirects, type RetryOptions } from "./redirects.ts";
import type { Transport } from "./transport/undici-transport.ts";

export type ServiceRequest = {
  /** The body of a POST; without one the request is a GET. */
  readonly json?: string | undefined;
  /** Headers for this service alone, such as its key. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** A longer response is an error. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
};

type ServiceRequester = AsyncDisposable & { request(service: URL, options: ServiceRequest): Promise<string> };

type ServiceOptions = {
  readonly retries: RetryOptions;
  readonly maxExpansion: number;
  headersFor(url: URL): Readonly<Record<string, string>>;
  /** Called once for each origin, when it is first used. */
  openTransport(service: URL): Transport;
};

/** Requests without following redirects; disposing closes all transports. */
export function makeServiceRequester({
  retries,
  maxExpansion,
  headersFor,
  openTransport,
}: ServiceOptions): ServiceRequester {
  const transports = new Map<string, Transport>();

  function findTransport(service: URL): Transport {
    const transport = transports.get(service.origin) ?? openTransport(service);
    transports.set(service.origin, transport);
    return transport;
  }

  return {
    async request(service, { json, headers: ownHeaders = {}, timeoutMs, maxBytes, signal }) {
      const transport = findTransport(service);
      return withDeadline({ url: service, timeoutMs, signal }, async (deadline) => {
        const response = await followRedirects(service, {
          ...retries,
          send: async (url, headers, until) => {
            if (url.href !== service.href) throw makeRedirectError(service);
            return transport.request(url, headers, until, json === undefined ? {} : { body: json });
          },
          headersFor: (url) => ({
            ...headersFor(url),
            accept: "application/json",
            ...(json === undefined ? {} : { "content-type": "application/json" }),
          }),
          callerHeaders: ownHeaders,
          signal: deadline.combined,
        });
        assertHasContent(response);
        return await readText(openResponseBody(response, { ...deadline, maxExpansion }), response, maxBytes);
      });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...transports.values()].map((transport) => transport[Symbol.asyncDispose]()));
    },
  };
}

function makeRedirectError({ host }: URL): SpillwayError {
  return new SpillwayError("network_refused", `${clip(host)} redirects, and data sent to it is not sent elsewhere.`, {
    hint: "Set the URL that it redirects to in the setting instead.",
  });
}

async function readText(
  { chunks, shortfall }: ResponseBody,
  response: FinalResponse,
  maxBytes: number,
): Promise<string> {
  const receivedChunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    receivedChunks.push(chunk);
    if (bytes > maxBytes) break;
  }
  const problem = bytes > maxBytes ? `more than ${maxBytes} bytes` : shortfall()?.reason;
  if (problem === undefined) return Buffer.concat(receivedChunks).toString("utf8");
  response.discard();
  throw new SpillwayError(
    "response_invalid",
    `The response of ${clip(response.url.host)} cannot be used: ${problem}.`,
    { hint: "Try again; if it happens again, check that service." },
  );
}
