/** Stubs stick: what was set aside once in a conversation is set aside again, because the client sends it again. */
import { createHash } from "node:crypto";
import type { Part } from "./dialects/dialect.ts";
import { partChars } from "./estimate.ts";
import type { Outgoing } from "./outgoing.ts";
import { identity, type Stub } from "./shed.ts";

export type StickyStubs = {
  /** Whether any conversation has stubs at all; if none has, no request needs to be looked at. */
  readonly any: () => boolean;
  /** The request is the one the client gave: by it the conversation is found again. */
  remember(given: Outgoing, stubs: readonly Stub[]): void;
  /** The known stubs of this conversation, where their contents stand again. */
  recall(given: Outgoing): Stub[];
};

/** A process that serves many conversations forgets the ones that were silent longest. */
const mostConversations = 500;
const mostStubs = 2_000;
const mostChars = 32 * 1024 * 1024;

type Known = Pick<Stub, "ref" | "text" | "contentChars">;
type Conversation = { readonly known: Map<string, Known>; chars: number };

export function stickyStubs(): StickyStubs {
  const conversations = new Map<string, Conversation>();
  let chars = 0;

  function remember(given: Outgoing, stubs: readonly Stub[]): void {
    if (stubs.length === 0) return;
    const key = conversationOf(given);
    const conversation = forgotten(key) ?? { known: new Map(), chars: 0 };
    for (const { contentHash, contentChars, ref, text } of stubs) {
      const before = conversation.known.get(contentHash);
      if (before === undefined && conversation.known.size >= mostStubs) break;
      conversation.known.set(contentHash, { ref, text, contentChars });
      conversation.chars += text.length - (before?.text.length ?? 0);
    }
    known(key, conversation);
    for (const oldest of conversations.keys()) {
      if (conversations.size === 1 || (conversations.size <= mostConversations && chars <= mostChars)) break;
      forgotten(oldest);
    }
  }

  function recall(given: Outgoing): Stub[] {
    const key = conversationOf(given);
    const conversation = forgotten(key);
    if (conversation === undefined) return [];
    known(key, conversation);
    return standingAgain(given.dialect.parts(given.request), conversation.known);
  }

  function forgotten(key: string): Conversation | undefined {
    const conversation = conversations.get(key);
    if (conversations.delete(key)) chars -= conversation?.chars ?? 0;
    return conversation;
  }

  function known(key: string, conversation: Conversation): void {
    conversations.set(key, conversation);
    chars += conversation.chars;
  }

  return { any: () => conversations.size > 0, remember, recall };
}

/** What the model has not yet seen is never stubbed for having been seen before: a tool that is run again is asked anew. */
function standingAgain(parts: readonly Part[], known: ReadonlyMap<string, Known>): Stub[] {
  const lengths = new Set([...known.values()].map(({ contentChars }) => contentChars));
  return parts.flatMap((part) => {
    if (part.newest || !lengths.has(partChars(part.content))) return [];
    const { contentHash, contentChars } = identity(part.content);
    const stub = known.get(contentHash);
    return stub === undefined ? [] : [{ ...stub, part, contentHash, contentChars }];
  });
}

/** The same opening sent elsewhere, to another model or by another caller is another conversation. */
function conversationOf({ dialect, request, target }: Outgoing): string {
  const opening = JSON.stringify(dialect.opening(request)) ?? "";
  const { endpoint, model, caller = "" } = target;
  return createHash("sha256").update([dialect.name, endpoint, model, caller, opening].join("\n")).digest("hex");
}
