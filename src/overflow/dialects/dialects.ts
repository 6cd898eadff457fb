/** All dialects that are spoken over HTTP, and finding the one a request is in. */
import { anthropicMessages } from "./anthropic-messages.ts";
import type { Dialect } from "./dialect.ts";
import { gemini } from "./gemini.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";

export const dialects: readonly Dialect[] = [openaiChat, openaiResponses, anthropicMessages, gemini];

/** The dialect of what is posted to this address; every other endpoint of a provider is left alone. */
export function dialectFor(method: string, pathname: string): Dialect | undefined {
  return method === "POST" ? dialects.find(({ endpoint }) => endpoint.test(pathname)) : undefined;
}
