/** `spillway cat`: prints the whole text or all bytes. The only unbounded output, for scripts. */
import { describeFailure, describeRawText, toDocumentFields } from "../../../answer/extract-notices.ts";
import { describeCut, hintForCut } from "../../../answer/source-cut.ts";
import { findTotalChars } from "../../../answer/totals.ts";
import { SpillwayError } from "../../../errors.ts";
import { type Extract, extractText } from "../../../extract/extract.ts";
import { findHandler } from "../../../extract/handlers.ts";
import { readBytes } from "../../../extract/local-file.ts";
import { readChildLimits } from "../../../extract/pool/pools.ts";
import { loadSource } from "../../../load/load-source.ts";
import type { KeepResult, LoadedSource } from "../../../load/loaded-source.ts";
import type { Session } from "../../../session/session.ts";
import { clip } from "../../../system/safe-names.ts";
import { openArtifact } from "../../../verbs/open-artifact.ts";
import { forEachInput } from "../arguments.ts";
import type { Call, Command } from "../command.ts";
import { modeRow, passwordRow, readMode, readText } from "../options.ts";
import { toJsonLine } from "../output.ts";
import { withProgressLine } from "../progress-line.ts";

export const catCommand: Command = {
  usage: "cat <artifact_ref|url|file>...",
  examples: [
    ["cat af_... > report.md", "the whole text of an artifact"],
    ["cat --raw af_... > report.pdf", "its bytes"],
  ],
  about: "Prints the whole text of each artifact, URL or file, without a limit.",
  options: {
    raw: { type: "boolean", about: "Print the bytes instead of the text." },
    mode: modeRow,
    password: passwordRow,
  },
  async run(call) {
    const session = await call.session();
    return forEachInput(call, async (input) => {
      await using source = await openInput(input, call, session);
      await (call.values.raw === true ? printBytes(source, call) : printText(source, call, session));
      if (!call.json) assertComplete(source.facts);
    });
  },
};

type OpenedInput = AsyncDisposable & KeepResult & Pick<LoadedSource, "facts" | "content" | "objects">;

async function openInput(input: string, call: Call, session: Session): Promise<OpenedInput> {
  if (!/^af_/.test(input))
    return loadSource(input, { mode: call.values.raw === true ? "raw" : readMode(call) }, session);
  const artifact = await openArtifact(input, session);
  return { ...artifact, facts: artifact.record, artifact_ref: artifact.record.artifact_ref };
}

async function printBytes({ content, facts }: OpenedInput, { terminal, signal }: Call): Promise<void> {
  const { size_bytes: sizeBytes, content_kind: kind, media_type: mediaType, charset } = facts;
  for await (const chunk of readBytes({ content, sizeBytes, kind, mediaType, charset }, signal))
    await terminal.out(chunk);
}

/** Throws if only the beginning of the source is kept: a script must not take it for the whole. */
function assertComplete(facts: LoadedSource["facts"]): void {
  if (!facts.source_truncated) return;
  const sentence = `${clip(facts.name)} was not printed whole. ${describeCut(facts)}`;
  throw new SpillwayError("source_truncated", sentence, { hint: hintForCut(facts) });
}

async function printText(source: OpenedInput, call: Call, session: Session): Promise<void> {
  const { settings, handlers, store } = session;
  const { facts } = source;
  const { signal } = call;
  const password = readText(call, "password");
  const handler = findHandler(facts.content_kind, facts.media_type, handlers);
  const extract = await withProgressLine(call, session, ({ progress }) =>
    extractText({
      ...source,
      owner: store.owner,
      handler,
      mode: readMode(call),
      enough: () => false,
      maxChars: Number.POSITIVE_INFINITY,
      limits: readChildLimits(settings),
      // The whole text is wanted, however long OCR takes.
      pictureSettings: { ...settings, "ocr.time": Number.POSITIVE_INFINITY },
      signal,
      progress,
      password,
    }),
  );
  const error = describeFailure(facts, extract);
  if (call.json)
    return call.terminal.out(toJsonLine({ ...(await jsonFields(source, extract)), ...(error ? { error } : {}) }));
  const notRaw = describeRawText(facts, readMode(call));
  if (notRaw !== undefined) call.terminal.note(`spillway: ${notRaw} --raw prints the bytes.\n`);
  if (extract.hasText) for await (const { text } of extract.segments()) await call.terminal.out(text);
  if (error !== undefined || !extract.hasText) {
    const isEncrypted = extract.ended?.failed?.reason === "encrypted";
    throw new SpillwayError("source_unreadable", error ?? `${clip(facts.name)} has no text to print.`, {
      hint: isEncrypted ? "Pass its password with --password." : "Use --raw to print its bytes.",
    });
  }
  if (extract.isPartial) {
    throw new SpillwayError("source_truncated", `The text of ${clip(facts.name)} continues after what was printed.`, {
      hint: "It is too long to be held in memory. Read the rest with spillway read and --pages.",
    });
  }
}

async function jsonFields(source: OpenedInput, extract: Extract) {
  const { handler, info, hasText, isPartial } = extract;
  return {
    ...toDocumentFields(extract),
    ...(source.artifact_ref === null ? { artifact_ref: null, path: null, ...source.facts } : source.record),
    handler,
    method: info.method ?? handler,
    extracted_chars: findTotalChars(source.facts, extract),
    extraction_truncated: isPartial,
    text: hasText ? (await Array.fromAsync(extract.segments(), ({ text }) => text)).join("") : null,
  };
}
