/** All dialects that are posted over HTTP, and the lookup by address. Add each one to `simulators.ts` too. */
import { anthropicMessages } from "./anthropic-messages.ts";
import type { Dialect } from "./dialect.ts";
import { gemini } from "./gemini.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";

/** In the order in which their endpoints are tried. */
export const dialects: readonly Dialect[] = [openaiChat, openaiResponses, anthropicMessages, gemini];

/** The dialect of a request, or undefined for any other endpoint of a provider, which is left alone. */
export function findDialect(
  method: string,
  pathname: string,
  candidates: readonly Dialect[] = dialects,
): Dialect | undefined {
  return method === "POST" ? candidates.find(({ endpoint }) => endpoint.test(pathname)) : undefined;
}
