/** A body as it is handed on: decoded, watched for bombs, and honest about ending too early. */
import { SpillwayError } from "../../errors.ts";
import type { BodyWatch } from "../source.ts";
import { bufferBody } from "./buffered-body.ts";
import { decodeChunks, parseContentEncoding } from "./content-encoding.ts";
import { describeShortfall, toNetworkError } from "./network-errors.ts";
import type { FinalResponse } from "./redirects.ts";

export type ResponseBodyOptions = {
  /** The setting network.expansion. */
  readonly maxExpansion: number;
  /** Ends the fetch as a whole; `late` makes the error for a body of which nothing came in time. */
  readonly deadline: AbortSignal;
  makeDeadlineError(): SpillwayError;
  /** The caller's own wish to stop, which is no shortfall. */
  readonly signal: AbortSignal;
  readonly incoming?: BodyWatch | undefined;
};

export type ResponseBody = {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Why the bytes ended before the body did; known once they have ended. */
  shortfall(): string | undefined;
  readonly notes: readonly string[];
};

/** Small bodies may be as compressible as they like: a page of blanks is no attack. */
const MIN_BOMB_BYTES = 8 * 1024 * 1024;

export function openResponseBody(reply: FinalResponse, limits: ResponseBodyOptions): ResponseBody {
  let [wireBytes, bytes] = [0, 0];
  let shortfall: string | undefined;
  const encodings = readEncodingsOrDiscard(reply);
  const { incoming } = limits;
  incoming?.begin(readContentLength(reply));
  const count = (length: number) => {
    wireBytes += length;
    incoming?.add(length);
  };
  const { chunks, unknownEncoding: unknown } = decodeChunks(countChunks(bufferBody(reply.body), count), encodings);

  async function* watched(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        if (bytes > MIN_BOMB_BYTES && bytes > wireBytes * limits.maxExpansion) throw makeBombError(limits.maxExpansion);
        yield chunk;
      }
    } catch (error) {
      if (limits.signal.aborted) throw limits.signal.reason;
      shortfall = limits.deadline.aborted ? "the time was up" : describeShortfall(error);
      if (shortfall !== undefined && bytes > 0) return;
      throw limits.deadline.aborted ? limits.makeDeadlineError() : toNetworkError(error, reply.url);
    }
  }

  const notes = unknown === undefined ? [] : [describeUnknownEncoding(unknown)];
  return { chunks: watched(), shortfall: () => shortfall, notes };
}

function readContentLength({ headers }: FinalResponse): number | undefined {
  const length = headers["content-length"] ?? "";
  return /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

/** Judged before anything is read of a body that would have to be let go. */
function readEncodingsOrDiscard({ headers, discard }: FinalResponse): string[] {
  try {
    return parseContentEncoding(headers["content-encoding"]);
  } catch (error) {
    discard();
    throw error;
  }
}

/** A name that is no name is the server's own words, which have no place in ours. */
function describeUnknownEncoding(name: string): string {
  const called = /^[\w-]{1,20}$/.test(name) ? ` ("${name}")` : "";
  return `The body is in an encoding that is unknown here${called}.`;
}

async function* countChunks(
  chunks: AsyncIterable<Uint8Array>,
  count: (length: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    count(chunk.length);
    yield chunk;
  }
}

function makeBombError(expansion: number): SpillwayError {
  return new SpillwayError("response_invalid", `The body decompresses to more than ${expansion} times its size.`, {
    hint: "It is likely made to exhaust whoever reads it. If it is sound, raise the setting network.expansion.",
  });
}
