/** Keeps a part of a request as an artifact, so that nothing is lost when a stub takes its place. */
import { createHash } from "node:crypto";
import { bodyOf } from "../acquire/body.ts";
import type { Spool } from "../acquire/spool.ts";
import { kindWords } from "../answer/words.ts";
import type { ArtifactStore } from "../artifacts/store.ts";
import { confirmKind } from "../detect/confirm.ts";
import { type Detection, firstLookBytes } from "../detect/kind.ts";
import { SpillwayError, systemCode } from "../errors.ts";
import type { Emit } from "../telemetry/events.ts";
import type { Part } from "./dialects/dialect.ts";

export type Kept = {
  readonly ref: string;
  readonly path: string | null;
  readonly sizeBytes: number;
  /** As a summary line calls it. */
  readonly kind: string;
};

/** Keeps a part whole, or says that it could not be by giving nothing back. */
export type Keep = (part: Part) => Promise<Kept | undefined>;

/** Keeps parts in the artifact store of this session. */
export function keepIn(store: ArtifactStore, emit: Emit): Keep {
  return async (part) => {
    const bytes = bytesOf(part);
    if (bytes === undefined) return undefined;
    try {
      const { record } = await keepBytes(store, bytes, part);
      const { artifact_ref: ref, path, size_bytes: sizeBytes, content_kind, media_type } = record;
      return { ref, path, sizeBytes, kind: kindWords(content_kind, media_type) };
    } catch (error) {
      if (!(error instanceof SpillwayError && error.code === "store_unavailable")) throw error;
      emit({ event: "store.unavailable", code: systemCode(error.cause) ?? "unknown" });
      return undefined;
    }
  };
}

/** A text with half a code point, or base64 that is none, would not read back as it was. */
function bytesOf({ content }: Part): Buffer | undefined {
  if ("text" in content) return content.text.isWellFormed() ? Buffer.from(content.text, "utf8") : undefined;
  return /^[A-Za-z0-9+/_\s-]*={0,2}\s*$/.test(content.base64) ? Buffer.from(content.base64, "base64") : undefined;
}

async function keepBytes(store: ArtifactStore, bytes: Buffer, { content, tool, role }: Part) {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const spool: Spool = {
    content: { bytes },
    sizeBytes: bytes.length,
    sha256,
    firstBytes: bytes.subarray(0, firstLookBytes),
    truncated: false,
    [Symbol.asyncDispose]: async () => undefined,
  };
  const headers = "mediaType" in content && content.mediaType !== "" ? { "content-type": content.mediaType } : {};
  const detection = asRead(await confirmKind(bodyOf(spool.content, bytes.length), { headers }), role);
  const given = role === "attachment" ? "attachment" : `result of ${tool ?? "a tool"}`;
  const name = "name" in content && content.name !== undefined ? content.name : given;
  return { record: await store.keep(spool, detection, { given, identity: `conversation:${sha256}`, name }) };
}

/** The model read a result as plain text, so markup in it is read back as plain text too. */
function asRead(detection: Detection, role: Part["role"]): Detection {
  return role === "tool_result" && detection.kind === "html"
    ? { ...detection, kind: "text", mediaType: "text/plain" }
    : detection;
}
