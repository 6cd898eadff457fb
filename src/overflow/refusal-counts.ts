/** Counts the refusals of each conversation, for clients that are to learn of some of them. */
import { hashConversation } from "./memory/remembered-change.ts";
import type { OutgoingRequest } from "./wire/outgoing-request.ts";

const MAX_COUNTED_CONVERSATIONS = 500;

/** Every n-th refusal of a conversation is for the client; 0 means none. */
export function createRefusalCounts(every: number) {
  const counts = new Map<string, number>();
  return {
    isForClient(outgoing: OutgoingRequest): boolean {
      if (every === 0) return false;
      const key = hashConversation(outgoing);
      const count = (counts.get(key) ?? 0) + 1;
      counts.delete(key);
      counts.set(key, count);
      const [oldest = ""] = counts.keys();
      if (counts.size > MAX_COUNTED_CONVERSATIONS) counts.delete(oldest);
      return count % every === 0;
    },
  };
}
