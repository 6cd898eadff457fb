/** The body of a response: decoded, checked for decompression bombs, with the reason if it ends early. */
import { SpillwayError } from "../../../errors.ts";
import type { DownloadMonitor, Shortfall } from "../../source.ts";
import { describeShortfall, toNetworkError } from "../network-errors.ts";
import type { FinalResponse } from "../redirects.ts";
import { bufferBody } from "./buffered-body.ts";
import { decodeChunks, parseContentEncoding } from "./content-encoding.ts";

type ResponseBodyOptions = {
  /** The setting network.expansion. */
  readonly maxExpansion: number;
  /** Ends the whole fetch; the error is thrown for a body of which nothing arrived in time. */
  readonly deadline: AbortSignal;
  makeDeadlineError(): SpillwayError;
  /** The caller's signal; its abort is thrown, not reported as a shortfall. */
  readonly signal: AbortSignal;
  readonly incoming?: DownloadMonitor | undefined;
};

/** A decoded body, to be read once. */
export type ResponseBody = {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Why the body is incomplete; known only after its chunks were read. */
  shortfall(): Shortfall | undefined;
  readonly notes: readonly string[];
};

/** Below this size any compression ratio is allowed: a page of blanks is not an attack. */
const MIN_BOMB_BYTES = 8 * 1024 * 1024;

/** Decodes the body of a response; throws at once for encodings that are refused. */
export function openResponseBody(response: FinalResponse, options: ResponseBodyOptions): ResponseBody {
  let [wireBytes, bytes] = [0, 0];
  let shortfall: Shortfall | undefined;
  const encodings = readEncodingsOrDiscard(response);
  const { maxExpansion, deadline, signal, incoming } = options;
  incoming?.begin(readContentLength(response));
  const count = (length: number) => {
    wireBytes += length;
    incoming?.add(length);
  };
  const { chunks, unknownEncoding } = decodeChunks(countChunks(bufferBody(response.body), count), encodings);

  async function* readChecked(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        if (bytes > MIN_BOMB_BYTES && bytes > wireBytes * maxExpansion) throw makeBombError(maxExpansion);
        yield chunk;
      }
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      shortfall = deadline.aborted ? { by: "timeout", reason: "the time limit was reached" } : describeShortfall(error);
      if (shortfall !== undefined && bytes > 0) return;
      throw deadline.aborted ? options.makeDeadlineError() : toNetworkError(error, response.url);
    }
  }

  const notes = unknownEncoding === undefined ? [] : [describeUnknownEncoding(unknownEncoding)];
  return { chunks: readChecked(), shortfall: () => shortfall, notes };
}

function readContentLength({ headers }: FinalResponse): number | undefined {
  const length = headers["content-length"] ?? "";
  return /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

/** Checked before the body is read, so that a refused body can be discarded. */
function readEncodingsOrDiscard({ headers, discard }: FinalResponse): string[] {
  try {
    return parseContentEncoding(headers["content-encoding"]);
  } catch (error) {
    discard();
    throw error;
  }
}

/** A malformed name is not repeated: text that a server chose does not belong in our notes. */
function describeUnknownEncoding(name: string): string {
  const quoted = /^[\w-]{1,20}$/.test(name) ? ` ("${name}")` : "";
  return `The body has an unknown content encoding${quoted}.`;
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

function makeBombError(maxExpansion: number): SpillwayError {
  return new SpillwayError("response_invalid", `The body decompresses to more than ${maxExpansion} times its size.`, {
    hint: "It may be a decompression bomb. If it is legitimate, raise the setting network.expansion.",
  });
}
