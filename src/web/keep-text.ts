/** Keeps what a provider sent about a page as an artifact, so that it can be read in parts later. */
import { streamBytes } from "../acquire/chunks.ts";
import { keepSource } from "../load/load-source.ts";
import type { Session } from "../session/session.ts";
import type { WebResult } from "./web-provider.ts";

/** The ref of the page's text, or of its highlights where it has no text; null if there is neither, or no room for it. */
export async function keepText({ url, title, text, highlights }: WebResult, session: Session): Promise<string | null> {
  const content = text ?? highlights?.join("\n\n");
  if (content === undefined) return null;
  await using kept = await keepSource(
    // The page itself, fetched, is another artifact.
    { given: url, identity: `web search: ${url}` },
    {
      chunks: streamBytes(Buffer.from(content)),
      name: title,
      headers: { "content-type": "text/markdown; charset=utf-8" },
    },
    session,
  );
  return kept.artifact_ref;
}
