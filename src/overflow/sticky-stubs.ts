/** Stubs persist for a conversation: the client sends the same content again, and it is replaced by the same stub again. */
import { createHash } from "node:crypto";
import type { Part } from "./dialects/dialect.ts";
import { countPartChars } from "./estimate-tokens.ts";
import { hashContent, type Stub } from "./shed.ts";
import type { OutgoingRequest } from "./wire/outgoing-request.ts";

export type StickyStubs = {
  /** Whether any conversation has stubs. If none has, no request needs to be parsed. */
  readonly hasAny: () => boolean;
  /** Remembers the stubs of a request. The original request identifies the conversation. */
  remember(original: OutgoingRequest, stubs: readonly Stub[]): void;
  /** The stubs of this conversation for each part whose content is remembered. */
  find(original: OutgoingRequest): Stub[];
};

/** A process that serves many conversations drops the least recently used ones. */
const MAX_CONVERSATIONS = 500;
const MAX_STUBS = 2_000;
const MAX_CHARS = 32 * 1024 * 1024;

/** A stub as it is remembered, without the part that it replaced. */
export type RememberedStub = Omit<Stub, "part">;

type Conversation = { readonly stubs: Map<string, RememberedStub>; chars: number };

/** The stubs of all conversations of a process, in memory. */
export function createStickyStubs(): StickyStubs {
  // In the order of use, the oldest first.
  const conversations = new Map<string, Conversation>();
  let chars = 0;

  function remember(original: OutgoingRequest, stubs: readonly Stub[]): void {
    if (stubs.length === 0) return;
    const key = hashConversation(original);
    const conversation = take(key) ?? newConversation();
    addStubs(conversation, stubs.map(withoutPart));
    addNewest(key, conversation);
    for (const oldest of conversations.keys()) {
      if (conversations.size === 1 || (conversations.size <= MAX_CONVERSATIONS && chars <= MAX_CHARS)) break;
      take(oldest);
    }
  }

  function find(original: OutgoingRequest): Stub[] {
    const key = hashConversation(original);
    const conversation = take(key);
    if (conversation === undefined) return [];
    addNewest(key, conversation);
    return matchStubs(original.dialect.findParts(original.request), conversation.stubs);
  }

  /** Removes a conversation and returns it. */
  function take(key: string): Conversation | undefined {
    const conversation = conversations.get(key);
    if (conversations.delete(key)) chars -= conversation?.chars ?? 0;
    return conversation;
  }

  /** Adds a conversation as the one used last. */
  function addNewest(key: string, conversation: Conversation): void {
    conversations.set(key, conversation);
    chars += conversation.chars;
  }

  return { hasAny: () => conversations.size > 0, remember, find };
}

/** The stubs of one conversation that outlives its process: those of earlier processes, and a callback for each new one. */
export function createConversationStubs(
  before: readonly RememberedStub[],
  onNew: (stubs: readonly RememberedStub[]) => void,
): StickyStubs {
  const conversation = newConversation();
  addStubs(conversation, before);
  return {
    hasAny: () => conversation.stubs.size > 0,
    remember(_, stubs) {
      const newStubs = stubs.map(withoutPart);
      addStubs(conversation, newStubs);
      onNew(newStubs);
    },
    find: ({ dialect, request }) => matchStubs(dialect.findParts(request), conversation.stubs),
  };
}

const newConversation = (): Conversation => ({ stubs: new Map(), chars: 0 });

const withoutPart = ({ part: _, ...stub }: Stub): RememberedStub => stub;

function addStubs(conversation: Conversation, stubs: readonly RememberedStub[]): void {
  for (const stub of stubs) {
    const before = conversation.stubs.get(stub.contentHash);
    if (before === undefined && conversation.stubs.size >= MAX_STUBS) break;
    conversation.stubs.set(stub.contentHash, stub);
    conversation.chars += stub.text.length - (before?.text.length ?? 0);
  }
}

/** The newest exchange is left alone: a model that runs a tool again must see the result, even if it is the same. */
function matchStubs(parts: readonly Part[], stubs: ReadonlyMap<string, RememberedStub>): Stub[] {
  const lengths = new Set([...stubs.values()].map(({ contentChars }) => contentChars));
  return parts.flatMap((part) => {
    if (part.isNewest || !lengths.has(countPartChars(part.content))) return [];
    const stub = stubs.get(hashContent(part.content).contentHash);
    return stub === undefined ? [] : [{ ...stub, part }];
  });
}

/** The same opening sent elsewhere, to another model or by another caller is another conversation. */
function hashConversation({ dialect, request, target }: OutgoingRequest): string {
  const opening = JSON.stringify(dialect.findOpening(request)) ?? "";
  const { endpoint, model, caller = "" } = target;
  return createHash("sha256").update([dialect.name, endpoint, model, caller, opening].join("\n")).digest("hex");
}
