/** `spillway detect`: shows the kind of a source and the signal that decided it. Keeps nothing. */
import type { Claims } from "../../../detect/kind.ts";
import { detectSource, type SourceDetection } from "../../../load/load-source.ts";
import { PATH_CHARS } from "../../../system/clip-lengths.ts";
import { redactUrl } from "../../../system/redact-url.ts";
import { clip } from "../../../system/safe-names.ts";
import { forEachInput } from "../arguments.ts";
import type { Call, Command } from "../command.ts";
import { readText } from "../options.ts";
import { toJsonLine } from "../output.ts";

export const detectCommand: Command = {
  usage: "detect <url|file|-|data:>...",
  examples: [
    ["detect download.bin", "what it is, and which sign decided"],
    ["detect https://example.com/ --json", "the same as JSON"],
  ],
  about: "Decides the kind of each source from its bytes, its name and its declared type.",
  options: {
    "content-type": { type: "string", value: "TYPE", about: "Use this instead of the Content-Type header." },
    url: { type: "string", value: "URL", about: "Use this instead of the file's name." },
  },
  async run(call) {
    const session = await call.session();
    return forEachInput(call, async (input) => {
      const detection = await detectSource(input, readClaims(call), session);
      await call.terminal.out(call.json ? toJsonLine(jsonFields(input, detection)) : textLines(input, detection));
    });
  },
};

function readClaims(call: Call): Partial<Claims> {
  const contentType = readText(call, "content-type");
  const url = readText(call, "url");
  return {
    ...(contentType === undefined ? {} : { headers: { "content-type": contentType } }),
    ...(url === undefined ? {} : { url }),
  };
}

function jsonFields(input: string, { kind, mediaType, charset, decidedBy, signals, sourceTruncated }: SourceDetection) {
  return {
    source_url: redactUrl(input),
    content_kind: kind,
    media_type: mediaType,
    charset,
    decided_by: decidedBy,
    signals,
    source_truncated: sourceTruncated,
  };
}

function textLines(
  input: string,
  { kind, mediaType, charset, decidedBy, signals, sourceTruncated }: SourceDetection,
): string {
  const type = charset === null ? mediaType : `${mediaType}; charset=${charset}`;
  const truncationNotes = sourceTruncated
    ? ["Only the beginning was checked: the source is larger than artifacts.source_bytes."]
    : [];
  const notes = [...signals.notes, ...truncationNotes].map((note) => `  ${note}\n`).join("");
  return `${clip(redactUrl(input), PATH_CHARS)}: ${kind} (${type}), decided by ${decidedBy}\n${notes}`;
}
