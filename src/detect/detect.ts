/** The first look: what the first bytes, the header and the name together say the content is. */
import { gatherEvidence } from "./evidence.ts";
import type { Claims, Detection } from "./kind.ts";
import { resolveKind } from "./resolve-kind.ts";

/** The kind of some content from its beginning. Deterministic, and never throws: a fault in here is an unknown binary. */
export function detectContentKind(claims: Claims): Detection {
  try {
    return resolveKind(gatherEvidence(claims));
  } catch (error) {
    return makeFailedDetection(error);
  }
}

/** Bytes that our own code stumbled over are kept whole and read by nobody. */
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
