/**
 * The five functions of the library, on the sample files beside this one:
 *
 *   node examples/library.ts
 *
 * As a user of the package you would import from "spillway".
 */
import { fetchSource, openSession, readArtifact, searchCode, withOverflowRecovery } from "../src/index.ts";

const samples = `${import.meta.dirname}/samples`;

/** Reads, asks, searches, and returns what it learnt. */
export async function read(): Promise<readonly string[]> {
  // Paths that a model chooses are read only below this folder.
  await using session = await openSession({ confined: true, cwd: samples });

  // Any source within a budget. What does not fit stays one call away.
  const { fields } = await fetchSource("handbook.md", { maxChars: 300 }, session);
  const lines = [`${fields.content?.length} of ${fields.extracted_chars} characters, has_more=${fields.has_more}`];

  // The ref answers questions about the rest.
  if (fields.artifact_ref) {
    const answer = await readArtifact(fields.artifact_ref, { query: "what if the power fails" }, session);
    lines.push(/If the power fails[^.]*\./.exec(answer.content ?? "")?.[0] ?? "nothing found");
  }

  const { results } = await searchCode({ query: "spillway opened", limit: 1 }, session);
  lines.push(`search: ${results[0]?.file_path}`);
  return lines;
}

/** Sends a request that may be too large: where the provider refuses it for its size, it is made smaller once. */
export async function ask(url: string, body: object): Promise<string> {
  await using session = await openSession();
  const send = withOverflowRecovery(fetch, { session });
  const response = await send(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return `${response.status} ${response.headers.get("x-spillway") ?? "unchanged"}`;
}

if (import.meta.main) for (const line of await read()) console.log(line);
