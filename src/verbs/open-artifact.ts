/** Opens kept artifacts: the record and the bytes. */
import type { Content } from "../acquire/spool.ts";
import type { Objects } from "../artifacts/objects.ts";
import type { ArtifactRecord } from "../artifacts/record.ts";
import type { Session } from "../session/session.ts";

/** A kept artifact whose bytes are available until it is disposed. */
type OpenedArtifact = AsyncDisposable & {
  readonly record: ArtifactRecord;
  readonly content: Content;
  /** Where its extract is stored. */
  readonly objects: Objects;
};

/** Opens a kept artifact of the session's owner, marking it as used. */
export async function openArtifact(ref: string, { store }: Session): Promise<OpenedArtifact> {
  return { ...(await store.read(ref)), objects: store.objects };
}
