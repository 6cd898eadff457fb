/** The memory of one conversation that has a transcript of its own: its stubs are recorded there and not in the store. */
import { hashOutgoing } from "../wire/outgoing-request.ts";
import type { RecoveryMemory } from "./recovery-memory.ts";
import { type Change, matchContents, mergeStubs, type RememberedStub, toRemembered } from "./remembered-change.ts";

/** Each holds the stubs of a whole request. */
const MAX_REQUESTS = 20;

/** Begins with the stubs of earlier processes, and calls back for each new one. */
export function createConversationMemory(
  before: readonly RememberedStub[],
  onNew: (stubs: readonly RememberedStub[]) => void,
): RecoveryMemory {
  let stubs = mergeStubs([], before);
  const requests = new Map<string, Change>();
  return {
    hasAny: async () => stubs.length + requests.size > 0,
    async find(original) {
      const same = requests.get(hashOutgoing(original));
      return same === undefined
        ? { clamp: [], stubs: matchContents(original, stubs), isSame: false }
        : { ...same, isSame: true };
    },
    async remember(original, change, newStubs) {
      requests.set(hashOutgoing(original), change);
      const [oldest = ""] = requests.keys();
      if (requests.size > MAX_REQUESTS) requests.delete(oldest);
      const remembered = toRemembered({ clamp: [], stubs: newStubs }).stubs;
      stubs = mergeStubs(stubs, remembered);
      if (remembered.length > 0) onNew(remembered);
    },
    async forget(original) {
      requests.delete(hashOutgoing(original));
    },
  };
}
