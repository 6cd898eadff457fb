/** Runs a handler on the bytes of one artifact. */
import type { Content } from "../acquire/spool.ts";
import type { ArtifactFacts } from "../artifacts/record.ts";
import { isUnwritable, SpillwayError } from "../errors.ts";
import type {
  ExtractItem,
  FormatQuery,
  Handler,
  HandlerOptions,
  Limits,
  LinkStyle,
  LocalFile,
  Mode,
} from "./handler.ts";
import { findLinkBase } from "./stored-extract.ts";

/** What a handler reads, and how. */
export type HandlerRun = {
  readonly facts: Pick<
    ArtifactFacts,
    "sha256" | "size_bytes" | "content_kind" | "media_type" | "charset" | "source_url" | "final_url" | "name"
  >;
  readonly content: Content;
  readonly handler: Handler;
  readonly mode: Mode;
  readonly links?: LinkStyle | undefined;
  readonly limits: Limits;
  /** How text in pictures is recognised; absent where OCR is off. */
  readonly ocr?: HandlerOptions["ocr"] | undefined;
  /** Whether the place where a picture was taken is written. */
  readonly showsLocation?: boolean | undefined;
  readonly signal: AbortSignal;
  readonly password?: string | undefined;
  /** What is asked of the format itself, whose result is wanted. */
  readonly formatQuery?: FormatQuery | undefined;
};

/**
 * The handler's items from a segment on. What it throws, apart from our own errors and an abort, is a failure: the
 * artifact stays usable.
 */
export async function* runHandler(run: HandlerRun, from: number): AsyncGenerator<ExtractItem> {
  const { handler, mode, links, limits, ocr, showsLocation, signal, password, formatQuery } = run;
  const options: HandlerOptions = {
    ...{ mode, from, limits },
    ...(links === undefined ? {} : { links }),
    ...(ocr === undefined ? {} : { ocr }),
    ...(showsLocation ? { showsLocation } : {}),
    ...(password === undefined ? {} : { password }),
    ...formatQuery,
  };
  try {
    yield* handler.extract(toLocalFile(run), options, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SpillwayError || isUnwritable(error)) throw error;
    const message = error instanceof Error ? error.message : String(error);
    const reason = isNotInstalled(error) ? "unavailable" : "failed";
    yield { failed: { reason, detail: `the ${handler.name} handler failed: ${message}` } };
  }
}

/** The bytes of an artifact as handlers take them. */
export function toLocalFile({ facts, content }: Pick<HandlerRun, "facts" | "content">): LocalFile {
  const { size_bytes: sizeBytes, content_kind: kind, media_type: mediaType, charset, name } = facts;
  const url = findLinkBase(facts);
  return { content, sizeBytes, kind, mediaType, charset, name, ...(url === null ? {} : { url }) };
}

/** Whether a module that a handler needs is missing. */
function isNotInstalled(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isMissing = "code" in error && /^(?:ERR_)?MODULE_NOT_FOUND$/.test(String(error.code));
  return isMissing || isNotInstalled(error.cause);
}
