/** Sends signed requests to one bucket: kept-alive connections, a deadline each, bounded retries, no redirects. */
import type { LookupFunction } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { Dispatcher } from "undici";
import { pauseAfterFailure } from "../../system/pause-after-failure.ts";
import { readTrustedCertificates } from "../../system/trusted-certificates.ts";
import { ObjectsError } from "../objects.ts";
import type { S3Address } from "./s3-address.ts";
import { makeConnectionError, makeResponseError, readErrorCode } from "./s3-errors.ts";
import { EMPTY_HASH, encodePath, encodeQuery, hashBytes, signRequest } from "./sign-request.ts";

export type S3Request = {
  readonly method: "GET" | "PUT" | "POST" | "HEAD" | "DELETE";
  /** Undefined for a request about the bucket. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Statuses that are answers and not failures, besides those that say yes. */
  readonly expected?: readonly number[];
};

export type S3Response = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body, which must be read or discarded. */
  readonly body: Dispatcher.ResponseData["body"];
};

export type S3Client = {
  send(request: S3Request): Promise<S3Response>;
  /** Sends a request and reads its whole body, which is short. */
  ask(request: S3Request): Promise<S3Response & { readonly text: string }>;
  close(): Promise<void>;
};

export type S3ClientOptions = {
  readonly timeoutMs: number;
  readonly now?: () => number;
  /** A file of certificates to trust besides those of the platform. */
  readonly caFile?: string | null;
  /** How names are resolved; tests pass their own. */
  readonly lookup?: LookupFunction;
};

const MAX_TRIES = 3;
/** A service that is busy, or at work on a neighbour of the key, says so at once. */
const MAX_BUSY_TRIES = 8;
const RETRY_MS = 50;
const MAX_CONNECTIONS = 32;

/** The time for a body grows with it: a slow line moves at least this much. */
const MIN_BYTES_PER_MS = 256;

export function openS3Client(address: S3Address, options: S3ClientOptions): S3Client {
  const { timeoutMs, now = Date.now, caFile = null, lookup } = options;
  const pause = pauseAfterFailure();
  let opening: Promise<Dispatcher> | undefined;

  /** The address is the user's own, so the guard for URLs of models does not apply to it; and it alone is asked. */
  async function open(): Promise<Dispatcher> {
    const { Pool } = await import("undici");
    return new Pool(`${address.protocol}//${address.host}`, {
      connections: MAX_CONNECTIONS,
      connect: {
        timeout: timeoutMs / 2,
        ...(caFile === null ? {} : await readTrustedCertificates(caFile)),
        ...(lookup && { lookup }),
      },
      bodyTimeout: timeoutMs,
    });
  }

  async function send(request: S3Request): Promise<S3Response> {
    const failure = pause.current();
    if (failure !== undefined) throw failure;
    for (let attempt = 1; ; attempt++) {
      try {
        const response = await sendOnce(request);
        pause.end();
        return response;
      } catch (thrown) {
        const error = makeConnectionError(thrown);
        const fault = error instanceof ObjectsError ? error.fault : "failed";
        const maxTries = fault === "busy" ? MAX_BUSY_TRIES : fault === "unreachable" ? MAX_TRIES : 1;
        if (attempt >= maxTries || isTimeout(thrown)) {
          if (fault === "unreachable") pause.begin(error);
          throw error;
        }
      }
      await wait(RETRY_MS * attempt * (0.5 + Math.random()));
    }
  }

  async function sendOnce(request: S3Request): Promise<S3Response> {
    const { method, key, query = {}, body } = request;
    const path = `${address.root}${key === undefined ? "" : encodePath(address.prefix + key)}`;
    const bodyHash = body === undefined ? EMPTY_HASH : hashBytes(body);
    const unsigned = { method, host: address.host, path, query, headers: request.headers ?? {}, bodyHash };
    const headers = signRequest(unsigned, address.credentials, address.region, now());
    opening ??= open().catch((error: unknown) => {
      opening = undefined; // The next request tries again.
      throw error;
    });
    const search = encodeQuery(query);
    const response = await (await opening).request({
      method,
      path: search === "" ? path : `${path}?${search}`,
      headers: { ...headers, ...(body === undefined ? {} : { "content-length": String(body.length) }) },
      body: body ?? null,
      headersTimeout: timeoutMs + (body?.length ?? 0) / MIN_BYTES_PER_MS,
    });
    return checkStatus(response, request);
  }

  async function checkStatus(response: Dispatcher.ResponseData, { expected = [] }: S3Request): Promise<S3Response> {
    const { statusCode: status, body } = response;
    const headers = Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, String(value ?? "")]),
    );
    if ((status >= 200 && status < 300) || expected.includes(status)) return { status, headers, body };
    throw makeResponseError(status, readErrorCode(await readText(body)));
  }

  async function ask(request: S3Request) {
    const response = await send(request);
    const text = await readText(response.body).catch((error: unknown) => {
      throw makeConnectionError(error);
    });
    // Completing an upload and copying may fail after the service has begun to say that they succeeded.
    if (response.status === 200 && text.includes("<Error>")) throw makeResponseError(500, readErrorCode(text));
    if (response.status === 404 && readErrorCode(text) === "NoSuchBucket") throw makeResponseError(404, "NoSuchBucket");
    return { ...response, text };
  }

  return {
    send,
    ask,
    async close() {
      const pool = await opening?.catch(() => undefined);
      opening = undefined;
      await pool?.destroy();
    },
  };
}

/** Far more than a page of a listing has. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024;

async function readText(body: S3Response["body"]): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_TEXT_BYTES) throw new ObjectsError("failed", "The answer of the service is too long.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** A second try would take as long again. */
const isTimeout = (error: unknown): boolean =>
  error instanceof Error && /timeout/i.test(`${error.name} ${error.message}`);
