/** The rows and objects of a repository's index: how they name it, and its segments. */
import { segmentsKey } from "../../artifacts/keys.ts";
import type { RepositoryKey } from "../../catalogue/index-rows.ts";
import type { Session } from "../../session/session.ts";
import { safeFileName } from "../../system/safe-names.ts";
import { openSegmentStore, type SegmentStore } from "../index/segments/segment-store.ts";
import type { Repository } from "./repository.ts";

/** A repository as rows name it. */
export function repositoryKey(
  { id, project }: Pick<Repository, "id" | "project">,
  { store }: Pick<Session, "store">,
): RepositoryKey {
  return { owner: store.ownerId, project: safeFileName(project.id), repository: id };
}

/** The segments of a repository in the session's store; null for an index in memory. */
export function segmentsOf(
  repository: Pick<Repository, "id" | "project" | "folder">,
  { store, now }: Pick<Session, "store" | "now">,
): SegmentStore | null {
  if (repository.folder === null) return null;
  return openSegmentStore(store, segmentsKey(repositoryKey(repository, { store })), now);
}
