/** One page of an owner's artifacts, the latest used first, with a search over their names and sources. */
import type { ListedArtifact } from "../../../artifacts/artifact-store.ts";
import type { UsePosition } from "../../../catalogue/artifact-rows.ts";
import type { Session } from "../../../session/session.ts";
import { redactUrl } from "../../../system/redact-url.ts";
import type { ListedArtifact as ShownArtifact, ViewData } from "./view-data.ts";

const PAGE_ARTIFACTS = 50;

/** A search looks at this many and says where it stopped, so that it is fast however many there are. */
const MAX_SEARCHED = 5_000;
const STEP_ARTIFACTS = 500;

type PageRequest = { readonly session: Session; readonly query: URLSearchParams };

export async function readArtifactPage({ session, query }: PageRequest): Promise<ViewData["artifacts"]> {
  const words = (query.get("q") ?? "").toLowerCase().trim();
  const keepMs = session.settings["artifacts.keep"];
  const found: ShownArtifact[] = [];
  let after = parsePosition(query.get("after"));
  let searched = 0;
  let isEnd = false;
  while (found.length < PAGE_ARTIFACTS && searched < MAX_SEARCHED && !isEnd) {
    const page = await session.store.listRecent(words === "" ? PAGE_ARTIFACTS : STEP_ARTIFACTS, after);
    for (const artifact of page.artifacts) {
      searched++;
      if (matches(artifact, words)) found.push(describe(artifact, keepMs));
    }
    after = page.next;
    isEnd = after === undefined;
  }
  return { artifacts: found, searched, next: after === undefined ? null : `${after.used_at}.${after.ref}` };
}

function parsePosition(text: string | null): UsePosition | undefined {
  const [, usedAt, ref] = /^(\d{1,15})\.(af_[0-9a-f]{32})$/.exec(text ?? "") ?? [];
  return usedAt === undefined || ref === undefined ? undefined : { used_at: Number(usedAt), ref };
}

function matches(artifact: ListedArtifact, words: string): boolean {
  if (words === "") return true;
  if (!("record" in artifact)) return artifact.ref.includes(words);
  const { name, source_url, artifact_ref, content_kind } = artifact.record;
  return [name, source_url, artifact_ref, content_kind].some((text) => text.toLowerCase().includes(words));
}

function describe(artifact: ListedArtifact, keepMs: number): ShownArtifact {
  if (!("record" in artifact)) return { ref: artifact.ref, problem: artifact.damaged.message };
  const { artifact_ref: ref, name, source_url, content_kind, media_type, size_bytes, last_used_at } = artifact.record;
  const expiresAt = new Date(Date.parse(last_used_at) + keepMs).toISOString();
  const source = redactUrl(source_url);
  return { ref, name, source, content_kind, media_type, size_bytes, last_used_at, expires_at: expiresAt };
}
