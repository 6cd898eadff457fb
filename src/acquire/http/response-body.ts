/** A body as it is handed on: decoded, watched for bombs, and honest about ending too early. */
import { SpillwayError } from "../../errors.ts";
import type { BodyWatch } from "../source.ts";
import { received } from "./buffered-body.ts";
import { decode, encodingsOf } from "./content-encoding.ts";
import { networkError, shortfallOf } from "./network-errors.ts";
import type { Reply } from "./redirects.ts";

export type BodyLimits = {
  /** The setting network.expansion. */
  readonly expansion: number;
  /** Ends the fetch as a whole; `late` makes the error for a body of which nothing came in time. */
  readonly deadline: AbortSignal;
  late(): SpillwayError;
  /** The caller's own wish to stop, which is no shortfall. */
  readonly signal: AbortSignal;
  readonly incoming?: BodyWatch | undefined;
};

export type ReplyBody = {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Why the bytes ended before the body did; known once they have ended. */
  shortfall(): string | undefined;
  readonly notes: readonly string[];
};

/** Small bodies may be as compressible as they like: a page of blanks is no attack. */
const harmlessBytes = 8 * 1024 * 1024;

export function replyBody(reply: Reply, limits: BodyLimits): ReplyBody {
  let [wireBytes, bytes] = [0, 0];
  let shortfall: string | undefined;
  const encodings = readEncodings(reply);
  const { incoming } = limits;
  incoming?.begin(lengthOf(reply));
  const count = (length: number) => {
    wireBytes += length;
    incoming?.add(length);
  };
  const { chunks, unknown } = decode(tapped(received(reply.body), count), encodings);

  async function* watched(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        if (bytes > harmlessBytes && bytes > wireBytes * limits.expansion) throw bomb(limits.expansion);
        yield chunk;
      }
    } catch (error) {
      if (limits.signal.aborted) throw limits.signal.reason;
      shortfall = limits.deadline.aborted ? "the time was up" : shortfallOf(error);
      if (shortfall !== undefined && bytes > 0) return;
      throw limits.deadline.aborted ? limits.late() : networkError(error, reply.url);
    }
  }

  const notes = unknown === undefined ? [] : [unknownEncoding(unknown)];
  return { chunks: watched(), shortfall: () => shortfall, notes };
}

function lengthOf({ headers }: Reply): number | undefined {
  const length = headers["content-length"] ?? "";
  return /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

/** Judged before anything is read of a body that would have to be let go. */
function readEncodings({ headers, discard }: Reply): string[] {
  try {
    return encodingsOf(headers["content-encoding"]);
  } catch (error) {
    discard();
    throw error;
  }
}

/** A name that is no name is the server's own words, which have no place in ours. */
function unknownEncoding(name: string): string {
  const called = /^[\w-]{1,20}$/.test(name) ? ` ("${name}")` : "";
  return `The body is in an encoding that is unknown here${called}.`;
}

async function* tapped(chunks: AsyncIterable<Uint8Array>, count: (length: number) => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    count(chunk.length);
    yield chunk;
  }
}

function bomb(expansion: number): SpillwayError {
  return new SpillwayError("response_invalid", `The body decompresses to more than ${expansion} times its size.`, {
    hint: "It is likely made to exhaust whoever reads it. If it is sound, raise the setting network.expansion.",
  });
}
