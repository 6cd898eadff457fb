/** Conversations as requests of a dialect that is given by name. */
import type { RequestBody } from "../src/overflow/dialects/dialect.ts";
import type { Conversation } from "../src/overflow/dialects/simulator.ts";
import { findSimulator } from "../src/overflow/dialects/simulators.ts";

export type { Conversation, ToolResult, Turn } from "../src/overflow/dialects/simulator.ts";

/** The conversation as a request in a dialect. */
export function writeRequest(dialectName: string, conversation: Conversation): RequestBody {
  return findSimulator(dialectName).writeRequest(conversation);
}
