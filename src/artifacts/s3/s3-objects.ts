/** Objects in a bucket of an S3-compatible service. */
import { readFile, stat } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import {
  assertKey,
  type ByteRange,
  isKey,
  type ObjectHead,
  type Objects,
  ObjectsError,
  type PutOptions,
} from "../objects.ts";
import { type LocalCopiesOptions, openLocalCopies } from "./local-copies.ts";
import { MAX_SINGLE_BYTES, putInParts, readTag } from "./multipart.ts";
import type { S3Address } from "./s3-address.ts";
import { openS3Client, type S3ClientOptions, type S3Response } from "./s3-client.ts";
import { makeConnectionError, makeResponseError } from "./s3-errors.ts";
import { encodePath } from "./sign-request.ts";

export type S3Options = {
  /** The folders of local copies, and how many bytes of them stay for later reads. */
  readonly copies: LocalCopiesOptions;
  /** How long a request may take. */
  readonly timeoutMs?: number;
} & Pick<S3ClientOptions, "now" | "caFile" | "lookup">;

const DEFAULT_TIMEOUT_MS = 10_000;

/** Statuses of a conditional request whose condition was not met, or that met another one. */
const CONDITION_FAILED = [412, 409];

/** How often a write is tried that finds neither room for an object nor an object: some two seconds in all. */
const MAX_ABSENT_TRIES = 12;

const MAX_ABSENT_PAUSE_MS = 250;

export type S3Objects = Objects & { close(): Promise<void> };

export function s3Objects(address: S3Address, options: S3Options): S3Objects {
  const copies = openLocalCopies(options.copies);
  const client = openS3Client(address, { timeoutMs: DEFAULT_TIMEOUT_MS, ...options });
  /** Whether the service knows conditional puts; undefined until it was asked. */
  let knowsConditions: boolean | undefined;
  let hasBucket = false;
  const heads = rememberHeads();

  async function put(key: string, from: { path: string } | Uint8Array, options: PutOptions = {}) {
    assertKey(key);
    if (!options.ifAbsent) return write(key, from, options);
    // Until the object of another writer can be read, it may still fail to become one.
    for (let attempt = 1; attempt <= MAX_ABSENT_TRIES; attempt++) {
      if (await head(key)) return "exists";
      if (knowsConditions === false) break;
      if ((await writeIfAbsent(key, from, options)) === "written") return "written";
      if (attempt > 1) await wait(Math.min(2 ** attempt, MAX_ABSENT_PAUSE_MS) * (0.5 + Math.random()));
    }
    // The look before is the best approximation. A service that was killed may say for ever that there is an object.
    return (await head(key)) ? "exists" : write(key, from, options);
  }

  /** Some services do not know the condition and say so. */
  async function writeIfAbsent(key: string, from: { path: string } | Uint8Array, options: PutOptions) {
    try {
      const result = await write(key, from, options, { "if-none-match": "*" });
      knowsConditions = true;
      return result;
    } catch (error) {
      if (!(error instanceof ObjectsError && error.fault === "failed" && /NotImplemented/.test(error.message)))
        throw error;
      knowsConditions = false;
      return write(key, from, options);
    }
  }

  async function write(
    key: string,
    from: { path: string } | Uint8Array,
    { noteStamp, isNewKey }: PutOptions,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<"written" | "exists"> {
    const condition = { headers, expected: headers["if-none-match"] === undefined ? [] : CONDITION_FAILED };
    const isLarge = !(from instanceof Uint8Array) && (await stat(from.path)).size > MAX_SINGLE_BYTES;
    const {
      status,
      headers: answer,
      text,
    } = isLarge
      ? await putInParts(client, key, from.path, condition)
      : await client.ask({
          method: "PUT",
          key,
          body: from instanceof Uint8Array ? from : await readFile(from.path),
          ...condition,
        });
    if (CONDITION_FAILED.includes(status)) return "exists";
    const tag = answer.etag ?? readTag(text, "ETag");
    if (tag !== "") noteStamp?.(tag);
    if (isNewKey) heads.note(key, toHead(String(await sizeOf(from)), new Date().toISOString(), tag));
    else heads.forget(key);
    return "written";
  }

  async function get(key: string, range?: ByteRange) {
    assertKey(key);
    if (range !== undefined && range.start >= range.end) return (await head(key)) && readBody(undefined);
    const headers = range === undefined ? {} : { range: `bytes=${range.start}-${range.end - 1}` };
    const response = await client.send({ method: "GET", key, headers, expected: [404, 416] });
    if (response.status < 300) return readBody(response);
    await response.body.dump();
    if (response.status === 416) return readBody(undefined);
    await requireBucket();
    return undefined;
  }

  /** Where the bucket is missing every object is, and that is another matter. */
  async function requireBucket(): Promise<void> {
    if (!hasBucket) await askBucket();
    hasBucket = true;
  }

  /** Not HEAD, whose answer has no body to say why. */
  async function askBucket(): Promise<void> {
    await client.ask({ method: "GET", query: { "list-type": "2", "max-keys": "1", prefix: address.prefix } });
  }

  async function head(key: string, { maxAgeMs = 0 } = {}): Promise<ObjectHead | undefined> {
    assertKey(key);
    const known = heads.find(key, maxAgeMs);
    if (known !== undefined) return known;
    try {
      return await askHead(key);
    } catch (error) {
      // While the service is away, what was copied from it can be read.
      const isAway = error instanceof ObjectsError && error.fault === "unreachable";
      const copy = isAway && maxAgeMs > 0 ? await copies.find(key) : undefined;
      if (copy === undefined) throw error;
      return { sizeBytes: copy.sizeBytes, touchedAt: Date.now(), stamp: "" };
    }
  }

  async function askHead(key: string): Promise<ObjectHead | undefined> {
    const { status, headers } = await client.ask({ method: "HEAD", key, expected: [400, 403, 404] });
    if (status === 404) await requireBucket();
    if (status === 404) return undefined;
    if (status >= 400) {
      await askBucket(); // Fails with the reason, if that is not one of this object.
      throw makeResponseError(status, "");
    }
    return heads.note(key, toHead(headers["content-length"], headers["last-modified"], headers.etag));
  }

  async function* list(prefix: string): AsyncGenerator<{ key: string } & ObjectHead> {
    for await (const page of pages({ prefix: address.prefix + prefix })) {
      for (const [, entry = ""] of page.matchAll(/<Contents>([\s\S]*?)<\/Contents>/g)) {
        const key = readTag(entry, "Key").slice(address.prefix.length);
        // What is not named like an object of ours is not touched.
        if (isKey(key))
          yield { key, ...toHead(readTag(entry, "Size"), readTag(entry, "LastModified"), readTag(entry, "ETag")) };
      }
    }
  }

  async function* folders(prefix: string): AsyncGenerator<string> {
    const root = address.prefix + prefix;
    for await (const page of pages({ prefix: root, delimiter: "/" })) {
      for (const [, entry = ""] of page.matchAll(/<CommonPrefixes>([\s\S]*?)<\/CommonPrefixes>/g)) {
        const name = readTag(entry, "Prefix").slice(root.length, -1);
        if (isKey(name)) yield name;
      }
    }
  }

  async function* pages(query: Readonly<Record<string, string>>): AsyncGenerator<string> {
    let [token, last] = ["", ""];
    do {
      const more = token === "" ? {} : { "continuation-token": token };
      const { text } = await client.ask({ method: "GET", query: { "list-type": "2", ...query, ...more } });
      yield text;
      last = token;
      token = readTag(text, "IsTruncated") === "true" ? readTag(text, "NextContinuationToken") : "";
      if (token !== "" && token === last) throw new ObjectsError("failed", "The listing of the service does not end.");
    } while (token !== "");
  }

  /** Copies inside the service; false if there is no such object. */
  async function copy(from: string, to: string): Promise<boolean> {
    const source = encodePath(`/${address.bucket}/${address.prefix}${from}`);
    const headers = { "x-amz-copy-source": source };
    return (await client.ask({ method: "PUT", key: to, headers, expected: [404] })).status !== 404;
  }

  async function move(from: string, to: string): Promise<boolean> {
    assertKey(from);
    assertKey(to);
    if ((await head(to)) || !(await copy(from, to))) return false;
    await remove(from);
    return true;
  }

  async function remove(key: string): Promise<void> {
    assertKey(key);
    heads.forget(key);
    await copies.forget(key);
    await client.ask({ method: "DELETE", key, expected: [404] });
  }

  /** A copy of the bytes, hashed on the way, or one that was made before. */
  async function local(key: string) {
    assertKey(key);
    return copies.take(key, () => get(key));
  }

  async function openCopy(key: string) {
    assertKey(key);
    return copies.open(key, () => get(key));
  }

  async function close(): Promise<void> {
    await copies.close();
    await client.close();
  }

  return { put, get, head, list, folders, move, delete: remove, local, open: openCopy, close };
}

const sizeOf = async (from: { path: string } | Uint8Array): Promise<number> =>
  from instanceof Uint8Array ? from.length : (await stat(from.path)).size;

const MAX_REMEMBERED_HEADS = 10_000;

/** What was last known about objects, for callers to whom that is enough. */
function rememberHeads() {
  const known = new Map<string, { readonly head: ObjectHead; readonly at: number }>();
  return {
    note(key: string, head: ObjectHead): ObjectHead {
      if (known.size >= MAX_REMEMBERED_HEADS) known.clear();
      known.set(key, { head, at: performance.now() });
      return head;
    },
    find(key: string, maxAgeMs: number): ObjectHead | undefined {
      const entry = known.get(key);
      return entry !== undefined && performance.now() - entry.at < maxAgeMs ? entry.head : undefined;
    },
    forget: (key: string): void => void known.delete(key),
  };
}

async function* readBody(response: S3Response | undefined): AsyncGenerator<Uint8Array> {
  if (response === undefined) return;
  try {
    for await (const chunk of response.body) yield chunk;
  } catch (error) {
    throw makeConnectionError(error);
  }
}

function toHead(size = "", modified = "", tag = ""): ObjectHead {
  return { sizeBytes: Number(size), touchedAt: Date.parse(modified), stamp: tag };
}
