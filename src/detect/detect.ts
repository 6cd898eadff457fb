/** The first look: the kind of some content by its first bytes, its header and its name. */
import { gatherEvidence } from "./evidence.ts";
import { type Claims, type Detection, FIRST_LOOK_BYTES } from "./kind.ts";
import { resolveKind } from "./resolve-kind.ts";

/** The kind of some content from its beginning. Deterministic; never throws: if detection fails, it is unknown binary. */
export function detectContentKind(claims: Claims): Detection {
  try {
    return resolveKind(gatherEvidence(claims));
  } catch (error) {
    return makeFailedDetection(error);
  }
}

/**
 * The detection of what a model or a search has read as text: UTF-8, whatever it begins with. Neither the letters of a
 * signature (`%PDF-`, `GIF89a`) nor markup change that. A name refines its media type where the bytes agree.
 */
export function detectKnownText(bytes: Uint8Array, name?: string): Detection {
  const claims = { firstBytes: bytes.subarray(0, FIRST_LOOK_BYTES), ...(name === undefined ? {} : { url: name }) };
  const { kind, mediaType, decidedBy, signals } = detectContentKind(claims);
  if (kind === "text" && name !== undefined) return { kind, mediaType, charset: "utf-8", decidedBy, signals };
  const notes =
    kind === "text" ? signals.notes : [...signals.notes, `It begins like ${mediaType}, but was read as text.`];
  return {
    kind: "text",
    mediaType: "text/plain",
    charset: "utf-8",
    decidedBy: "content",
    signals: { ...signals, notes },
  };
}

/** The result if detection throws: the bytes are kept and no handler reads them. */
export function makeFailedDetection(error: unknown): Detection {
  const message = error instanceof Error ? error.message : String(error);
  return {
    kind: "unknown_binary",
    mediaType: "application/octet-stream",
    charset: null,
    decidedBy: "fallback",
    signals: {
      mime: null,
      magic: null,
      extension: null,
      content: "not examined",
      notes: [`The detector failed: ${message}`],
    },
  };
}
