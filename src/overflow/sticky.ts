/** Stubs stick: what was set aside once in a conversation is set aside again, because the client sends it again. */
import { createHash } from "node:crypto";
import type { Part } from "./dialects/dialect.ts";
import { partChars } from "./estimate-tokens.ts";
import { identity, type Stub } from "./shed.ts";
import type { Outgoing } from "./wire/outgoing-request.ts";

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

/** A stub as it is remembered, wherever its content stands. */
export type KnownStub = Omit<Stub, "part">;

type Conversation = { readonly known: Map<string, KnownStub>; chars: number };

export function stickyStubs(): StickyStubs {
  const conversations = new Map<string, Conversation>();
  let chars = 0;

  function remember(given: Outgoing, stubs: readonly Stub[]): void {
    if (stubs.length === 0) return;
    const key = conversationOf(given);
    const conversation = forgotten(key) ?? newConversation();
    learn(conversation, stubs.map(withoutPart));
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

/** The stubs of one conversation that outlives its process: those of before, and word of every new one. */
export function stubsOfOne(before: readonly KnownStub[], onNew: (stubs: readonly KnownStub[]) => void): StickyStubs {
  const conversation = newConversation();
  learn(conversation, before);
  return {
    any: () => conversation.known.size > 0,
    remember(_, stubs) {
      const fresh = stubs.map(withoutPart);
      learn(conversation, fresh);
      onNew(fresh);
    },
    recall: ({ dialect, request }) => standingAgain(dialect.parts(request), conversation.known),
  };
}

const newConversation = (): Conversation => ({ known: new Map(), chars: 0 });

const withoutPart = ({ part: _, ...stub }: Stub): KnownStub => stub;

function learn(conversation: Conversation, stubs: readonly KnownStub[]): void {
  for (const stub of stubs) {
    const before = conversation.known.get(stub.contentHash);
    if (before === undefined && conversation.known.size >= mostStubs) break;
    conversation.known.set(stub.contentHash, stub);
    conversation.chars += stub.text.length - (before?.text.length ?? 0);
  }
}

/** What the model has not yet seen is never stubbed for having been seen before: a tool that is run again is asked anew. */
function standingAgain(parts: readonly Part[], known: ReadonlyMap<string, KnownStub>): Stub[] {
  const lengths = new Set([...known.values()].map(({ contentChars }) => contentChars));
  return parts.flatMap((part) => {
    if (part.newest || !lengths.has(partChars(part.content))) return [];
    const stub = known.get(identity(part.content).contentHash);
    return stub === undefined ? [] : [{ ...stub, part }];
  });
}

/** The same opening sent elsewhere, to another model or by another caller is another conversation. */
function conversationOf({ dialect, request, target }: Outgoing): string {
  const opening = JSON.stringify(dialect.opening(request)) ?? "";
  const { endpoint, model, caller = "" } = target;
  return createHash("sha256").update([dialect.name, endpoint, model, caller, opening].join("\n")).digest("hex");
}
