/** Finds the requests in bytes that cannot be parsed as a message, so that each can still be answered with an error. */
import type { RequestId } from "@modelcontextprotocol/server";

/** Reads the bytes of one line, in chunks, and remembers the ids of its requests. */
export interface RequestFinder {
  push(bytes: Uint8Array): void;
  /** The ids of the requests so far. A notification has no id; a response has no method. */
  finish(): readonly RequestId[];
}

/** No id is longer, and no batch that is answered has more requests. */
const MAX_TOKEN_BYTES = 200;
const MAX_REQUESTS = 1_000;

/**
 * Creates a finder for one line. It follows strings and brackets only, so it needs no memory for the line and accepts
 * broken JSON. Only keys of the message itself count: arguments may have an `id` too.
 */
export function createRequestFinder(): RequestFinder {
  const ids: RequestId[] = [];
  let envelope: Envelope = {};
  /** How deep the keys of a message are: one level deeper in a batch. */
  let messageDepth = 1;
  let [depth, isInString, isEscaped, isKeyNext] = [0, false, false, false];
  let key = "";
  let token: number[] | undefined;

  const isCaptured = (): boolean => depth === messageDepth && (isKeyNext || key === "id");

  function endToken(): void {
    const text = token === undefined ? "" : Buffer.from(token).toString("utf8");
    token = undefined;
    if (text === "") return;
    if (isKeyNext) key = text.slice(1, -1);
    else if (key === "id") envelope = { ...envelope, id: parseId(text) };
    if (isKeyNext && key === "method") envelope = { ...envelope, hasMethod: true };
  }

  function endMessage(): void {
    const { id, hasMethod } = envelope;
    envelope = {};
    if (id !== undefined && hasMethod && ids.length < MAX_REQUESTS) ids.push(id);
  }

  function capture(byte: number): void {
    if (token !== undefined && token.length < MAX_TOKEN_BYTES) token.push(byte);
  }

  function readInString(byte: number): void {
    capture(byte);
    if (isEscaped) isEscaped = false;
    else if (byte === BACKSLASH) isEscaped = true;
    else if (byte === QUOTE) {
      isInString = false;
      endToken();
    }
  }

  function open(byte: number): void {
    depth++;
    if (depth === 1) messageDepth = byte === OPEN_BRACKET ? 2 : 1;
    if (depth === messageDepth) isKeyNext = true;
  }

  function close(): void {
    if (depth === messageDepth) {
      endToken();
      endMessage();
    }
    depth--;
  }

  function readOutside(byte: number): void {
    if (byte === QUOTE) {
      isInString = true;
      token = isCaptured() ? [byte] : undefined;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) open(byte);
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) close();
    else if (depth !== messageDepth) return;
    else if (byte === COLON) isKeyNext = false;
    else if (byte === COMMA) {
      endToken();
      [isKeyNext, key] = [true, ""];
    } else if (isCaptured() && !isKeyNext && isNumeric(byte)) {
      token ??= [];
      capture(byte);
    }
  }

  return {
    push(bytes) {
      const skipPlain = makeSkipper(bytes);
      for (let index = 0; index < bytes.length; index++) {
        // Nearly all bytes of a long line are in strings that do not matter.
        if (isInString && !isEscaped && token === undefined) index = skipPlain(index);
        const byte = bytes[index];
        if (byte === undefined) return;
        if (isInString) readInString(byte);
        else readOutside(byte);
      }
    },
    finish() {
      endMessage();
      return ids;
    },
  };
}

/** Finds the next quote or backslash. The next backslash is looked for once, not again for each string. */
function makeSkipper(bytes: Uint8Array): (from: number) => number {
  let backslash = -1;
  return (from) => {
    if (backslash < from) backslash = indexOrEnd(bytes, BACKSLASH, from);
    return Math.min(backslash, indexOrEnd(bytes, QUOTE, from));
  };
}

function indexOrEnd(bytes: Uint8Array, byte: number, from: number): number {
  const index = bytes.indexOf(byte, from);
  return index === -1 ? bytes.length : index;
}

type Envelope = { readonly id?: RequestId | undefined; readonly hasMethod?: true };

/** The id as JSON has it; undefined for what the protocol does not allow. */
function parseId(text: string): RequestId | undefined {
  try {
    const id: unknown = JSON.parse(text);
    return isRequestId(id) ? id : undefined;
  } catch {
    return undefined;
  }
}

/** Whether an answer can carry it as its id. Fractions are not allowed in a request, which the answer then says. */
export function isRequestId(id: unknown): id is RequestId {
  return typeof id === "string" || (typeof id === "number" && Number.isFinite(id));
}

/** Whether a byte can be part of a number, also of a fraction. */
const isNumeric = (byte: number): boolean => numberBytes.has(byte);

const numberBytes = new Set(Buffer.from("0123456789+-.eE"));

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
