/** The first look: the kind of some content by its first bytes, its header and its name. */
import { gatherEvidence } from "./evidence.ts";
import type { Claims, Detection } from "./kind.ts";
import { resolveKind } from "./resolve-kind.ts";

/** The kind of some content from its beginning. Deterministic; never throws: if detection fails, it is unknown binary. */
export function detectContentKind(claims: Claims): Detection {
  try {
    return resolveKind(gatherEvidence(claims));
  } catch (error) {
    return makeFailedDetection(error);
  }
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
