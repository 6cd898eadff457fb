/** Keeps what a wrapped tool returned, as artifacts that are read like any other. */
import { isAscii } from "node:buffer";
import { spoolBytes } from "../../../acquire/spool.ts";
import { toBody } from "../../../acquire/spooled-body.ts";
import { nameKind } from "../../../answer/phrases.ts";
import type { ArtifactRecord } from "../../../artifacts/record.ts";
import { confirmKind } from "../../../detect/confirm.ts";
import { hasControlByte } from "../../../detect/text/control-bytes.ts";
import { SpillwayError } from "../../../errors.ts";
import { createCleaner } from "../../../extract/clean.ts";
import { extractText } from "../../../extract/extract.ts";
import { findHandler } from "../../../extract/handlers.ts";
import { readChildLimits } from "../../../extract/pool/pools.ts";
import { readWindow } from "../../../extract/select/select-range.ts";
import { text as textHandler } from "../../../extract/text-handler.ts";
import type { Session } from "../../../session/session.ts";
import { openArtifact } from "../../../verbs/open-artifact.ts";
import { hasHeadings } from "./first-page.ts";

/** Whose result it is, and where it is kept. */
export type ResultOrigin = { readonly session: Session; readonly server: string; readonly tool: string };

/** A kept artifact. Without a ref, it could not be kept. */
export type Kept = { readonly ref: string | undefined; readonly kind: string; readonly sizeBytes: number };

/** Keeps a file that was inside a result. */
export async function keepFile(bytes: Uint8Array, mediaType: string | undefined, origin: ResultOrigin): Promise<Kept> {
  const kept = await keep(bytes, mediaType, `file of ${origin.tool}`, origin);
  const kind = "record" in kept ? nameKind(kept.record.content_kind, kept.record.media_type) : kept.kind;
  return { ref: "record" in kept ? kept.record.artifact_ref : undefined, kind, sizeBytes: bytes.length };
}

/** The kept text of a result, as a reader of the ref sees it: offsets count in it. */
export type KeptText = {
  readonly ref: string | undefined;
  readonly text: string;
  /** Characters of all of it; `text` may be only the beginning. */
  readonly totalChars: number;
  /** Set where the text is not as the server sent it. */
  readonly madeFrom?: string;
};

/** Keeps the text of a result. At least `minChars` of what its ref shows are returned, if there are so many. */
export async function keepText(whole: string, minChars: number, origin: ResultOrigin): Promise<KeptText> {
  const mediaType = hasHeadings(whole) ? "text/markdown" : undefined;
  const bytes = Buffer.from(whole);
  const kept = await keep(bytes, mediaType, `result of ${origin.tool}`, origin);
  const read = "record" in kept ? await readOther(kept.record, minChars, origin.session) : undefined;
  if (read !== undefined) return read;
  const text = isPlain(bytes) ? whole : clean(whole);
  return { ref: "record" in kept ? kept.record.artifact_ref : undefined, text, totalChars: text.length };
}

/** Text that cleaning does not change. Most results are, and their bytes are looked at faster than their characters. */
const isPlain = (bytes: Uint8Array): boolean =>
  isAscii(bytes) && !bytes.includes(CARRIAGE_RETURN) && !hasControlByte(bytes);

const CARRIAGE_RETURN = 0x0d;

/** Exactly what the text handler does, so that offsets are the same. */
function clean(text: string): string {
  const cleaner = createCleaner({ showControls: true });
  return cleaner.push(text) + cleaner.flush();
}

/** A text in a format of its own, such as a web page, is read by the handler of that format. */
async function readOther(record: ArtifactRecord, minChars: number, session: Session): Promise<KeptText | undefined> {
  const { content_kind, media_type, artifact_ref: ref } = record;
  const handler = findHandler(content_kind, media_type, session.handlers);
  if (handler.name === textHandler.name) return undefined;
  await using artifact = await openArtifact(ref, session);
  const extract = await extractText({
    ...artifact,
    owner: session.store.owner,
    facts: record,
    handler,
    mode: "markdown",
    enough: ({ chars }) => chars >= minChars,
    maxChars: session.settings["extract.chars"],
    limits: readChildLimits(session.settings),
    pictureSettings: session.settings,
    signal: session.signal,
  });
  if (!extract.hasText) return undefined;
  const { text } = await readWindow(extract, 0, minChars);
  const totalChars = extract.totalChars ?? extract.size.chars;
  return { ref, text, totalChars, madeFrom: nameKind(content_kind, media_type) };
}

type KeepResult = { readonly record: ArtifactRecord } | { readonly kind: string };

/** Where the store cannot be written, only the kind is known. */
async function keep(
  bytes: Uint8Array,
  mediaType: string | undefined,
  name: string,
  { session, server }: ResultOrigin,
): Promise<KeepResult> {
  const spool = spoolBytes(bytes);
  const headers = mediaType === undefined ? {} : { "content-type": mediaType };
  const detection = await confirmKind(toBody({ bytes }, bytes.length), { headers });
  try {
    const given = `${server}: ${name}`;
    return { record: await session.store.keep(spool, detection, { given, identity: `gateway:${spool.sha256}`, name }) };
  } catch (error) {
    if (!(error instanceof SpillwayError && error.code === "store_unavailable")) throw error;
    return { kind: nameKind(detection.kind, detection.mediaType) };
  }
}
