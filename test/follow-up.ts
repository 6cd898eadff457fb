/** Tries the follow-up that a reply names. */
import type { Answer, FetchFields, ReadFields, ReadOptions } from "../src/index.ts";

type Read = (ref: string, options: ReadOptions) => Promise<Answer<ReadFields>>;

/** What is wrong with it; null if there is text to read, or if the reply names none. */
export async function findEmptyFollowUp(answer: Answer<FetchFields>, read: Read): Promise<string | null> {
  const { artifact_ref: ref, error } = answer.fields;
  if (ref === null || ref === undefined || !answer.summary.includes("for targeted follow-up")) return null;
  // A password is what the follow-up needs, and the reply says so.
  if (error?.endsWith("password required") === true) return null;
  const { content } = await read(ref, {});
  return content === null || content === "" ? `${answer.summary} has an empty follow-up` : null;
}
