/** `data:` URLs as a source: the URL holds the bytes. */
import { createHash } from "node:crypto";
import { SpillwayError } from "../errors.ts";
import { DATA_HEADER_CHARS } from "../system/clip-lengths.ts";
import { clip } from "../system/safe-names.ts";
import { streamBytes } from "./chunks.ts";
import type { SourceKind } from "./source-kind.ts";

export const dataSource: SourceKind = {
  matches: (given) => /^data:/i.test(given),
  source(given) {
    const comma = given.indexOf(",");
    if (comma < 0) {
      throw new SpillwayError("source_refused", "This data: URL has no comma between its type and its data.", {
        hint: "Write it as data:text/plain;base64,SGVsbG8= or data:text/plain,Hello.",
      });
    }
    const [mediaType = "", ...parameters] = given.slice("data:".length, comma).split(";");
    const base64 = parameters.at(-1)?.trim().toLowerCase() === "base64";
    const contentType = [mediaType.trim(), ...(base64 ? parameters.slice(0, -1) : parameters)].join(";");
    const displayName = `data:${clip(given.slice("data:".length, comma), DATA_HEADER_CHARS)}`;
    return {
      // The payload is the content: as a name it would be repeated in every record and reply.
      given: displayName,
      identity: `${displayName},${createHash("sha256").update(given).digest("hex")}`,
      open: async () => ({
        chunks: streamBytes(
          base64 ? decodeBase64(given.slice(comma + 1)) : decodePercentEscapes(given.slice(comma + 1)),
        ),
        name: "data URL",
        headers: contentType === "" ? {} : { "content-type": contentType },
      }),
    };
  },
};

/** Node drops invalid characters silently, so the form is checked first. */
function decodeBase64(payload: string): Uint8Array {
  const compact = Buffer.from(decodePercentEscapes(payload)).toString("latin1").replace(/\s+/g, "");
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(compact)) {
    throw new SpillwayError("source_unreadable", "The data: URL says base64, but its data is not.", {
      hint: "Check that the URL was copied completely, or remove ;base64.",
    });
  }
  return Buffer.from(compact, "base64");
}

/** Percent escapes are bytes, not characters; a stray % is kept as it is, as browsers do. */
function decodePercentEscapes(text: string): Uint8Array {
  const bytes = Buffer.from(text, "utf8");
  const decoded = Buffer.alloc(bytes.length);
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    const pair = bytes[i] === 0x25 ? bytes.toString("latin1", i + 1, i + 3) : "";
    const isEscape = /^[0-9a-f]{2}$/i.test(pair);
    decoded[length++] = isEscape ? Number.parseInt(pair, 16) : (bytes[i] ?? 0);
    if (isEscape) i += 2;
  }
  return decoded.subarray(0, length);
}
