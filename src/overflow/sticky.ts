/** Stubs stick: what was set aside once in a conversation is set aside again, because the client sends it again. */
import { createHash } from "node:crypto";
import type { Edit } from "./edits.ts";
import type { Outgoing } from "./outgoing.ts";
import { type Stub, stubAgain } from "./shed.ts";

export type StickyStubs = {
  /** Whether any conversation has stubs at all; if none has, no request needs to be looked at. */
  readonly any: () => boolean;
  remember(outgoing: Outgoing, stubs: readonly Stub[]): void;
  /** The edits that put the known stubs of this conversation back. */
  recall(outgoing: Outgoing): Edit[];
};

/** A process that serves many conversations forgets the ones that were silent longest. */
const mostConversations = 500;
const mostStubs = 2_000;

type Conversation = { readonly known: Map<string, string>; readonly lengths: Set<number> };

export function stickyStubs(): StickyStubs {
  const conversations = new Map<string, Conversation>();

  function remember(outgoing: Outgoing, stubs: readonly Stub[]): void {
    if (stubs.length === 0) return;
    const key = conversationOf(outgoing);
    const conversation = conversations.get(key) ?? newConversation();
    learn(conversation, stubs);
    conversations.delete(key);
    conversations.set(key, conversation);
    const [oldest] = conversations.keys();
    if (conversations.size > mostConversations && oldest !== undefined) conversations.delete(oldest);
  }

  function recall(outgoing: Outgoing): Edit[] {
    const key = conversationOf(outgoing);
    const conversation = conversations.get(key);
    if (conversation === undefined) return [];
    conversations.delete(key);
    conversations.set(key, conversation);
    return recallIn(conversation, outgoing);
  }

  return { any: () => conversations.size > 0, remember, recall };
}

/** The stubs of one conversation that outlives its process: those of before, and word of every new one. */
export function stubsOfOne(before: readonly Stub[], onNew: (stubs: readonly Stub[]) => void): StickyStubs {
  const conversation = newConversation();
  learn(conversation, before);
  return {
    any: () => conversation.known.size > 0,
    remember(_, stubs) {
      learn(conversation, stubs);
      onNew(stubs);
    },
    recall: (outgoing) => recallIn(conversation, outgoing),
  };
}

const newConversation = (): Conversation => ({ known: new Map(), lengths: new Set() });

function learn({ known, lengths }: Conversation, stubs: readonly Stub[]): void {
  for (const { contentHash, contentChars, text, shortens } of stubs) {
    if (shortens !== undefined) replaceAll(known, shortens, text);
    if (known.size >= mostStubs) break;
    known.set(contentHash, text);
    lengths.add(contentChars);
  }
}

function recallIn({ known, lengths }: Conversation, { dialect, request }: Outgoing): Edit[] {
  return stubAgain(dialect.parts(request), known, lengths);
}

/** The client sends the whole text again, so the shorter stub must stand for that too. */
function replaceAll(known: Map<string, string>, was: string, now: string): void {
  for (const [contentHash, stub] of known) if (stub === was) known.set(contentHash, now);
}

function conversationOf({ dialect, request }: Outgoing): string {
  const opening = JSON.stringify(dialect.opening(request)) ?? "";
  return createHash("sha256").update(`${dialect.name}\n${opening}`).digest("hex");
}
