/** Keeps a part of a request as an artifact before a stub replaces it. */

import { spoolBytes } from "../acquire/spool.ts";
import { toBody } from "../acquire/spooled-body.ts";
import { nameKind } from "../answer/phrases.ts";
import type { ArtifactStore } from "../artifacts/artifact-store.ts";
import type { ArtifactRecord } from "../artifacts/record.ts";
import { confirmKind } from "../detect/confirm.ts";
import { detectKnownText } from "../detect/detect.ts";
import type { Detection } from "../detect/kind.ts";
import { SpillwayError, systemCode } from "../errors.ts";
import type { Emit } from "../telemetry/events.ts";
import type { Part, PartRole } from "./dialects/dialect.ts";

/** A part that is in the store. */
export type KeptPart = {
  readonly ref: string;
  readonly path: string | null;
  /** Whether only a tool can read it where the model works. */
  readonly isRemote: boolean;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** In the words of a summary line. */
  readonly kind: string;
};

/** Keeps a whole part. Returns undefined where that is not possible. */
export type Keep = (part: Part) => Promise<KeptPart | undefined>;

/** Keeps parts in the artifact store of this session. */
export function createKeep(store: ArtifactStore, emit: Emit, isRemote = false): Keep {
  return async (part) => {
    const bytes = bytesOf(part);
    if (bytes === undefined) return undefined;
    try {
      const { artifact_ref: ref, path, content_kind, media_type, ...record } = await keepBytes(store, bytes, part);
      const kind = nameKind(content_kind, media_type);
      return { ref, path, isRemote, sizeBytes: record.size_bytes, sha256: record.sha256, kind };
    } catch (error) {
      if (!(error instanceof SpillwayError && error.code === "store_unavailable")) throw error;
      emit({ event: "store.unavailable", code: systemCode(error.cause) ?? "unknown" });
      return undefined;
    }
  };
}

/** Undefined for a text with half a code point and for invalid base64: neither could be read back unchanged. */
function bytesOf({ content }: Part): Buffer | undefined {
  if ("text" in content) return content.text.isWellFormed() ? Buffer.from(content.text, "utf8") : undefined;
  const isBase64 = !/[^A-Za-z0-9+/_=\s-]|=[^=\s]/.test(content.base64);
  return isBase64 ? Buffer.from(content.base64, "base64") : undefined;
}

const sourceTexts: Readonly<Record<PartRole, (tool: string) => string>> = {
  attachment: () => "attachment",
  tool_result: (tool) => `result of ${tool}`,
  call: (tool) => `text given to ${tool}`,
  paste: () => "message of the user",
};

async function keepBytes(store: ArtifactStore, bytes: Buffer, part: Part): Promise<ArtifactRecord> {
  const spool = spoolBytes(bytes);
  const { content, tool, role } = part;
  const sourceText = sourceTexts[role](tool ?? "a tool");
  const name = "name" in content && content.name !== undefined ? content.name : sourceText;
  return await store.keep(spool, await detectKind(part, bytes), {
    given: sourceText,
    identity: `conversation:${spool.sha256}`,
    name,
  });
}

/** An attachment is detected by its bytes. What the model read as text stays text, whatever it begins with. */
async function detectKind({ content }: Part, bytes: Uint8Array): Promise<Detection> {
  if ("text" in content) return detectKnownText(bytes);
  const headers = content.mediaType === "" ? {} : { "content-type": content.mediaType };
  return await confirmKind(toBody({ bytes }, bytes.length), { headers });
}
