/** A change of a request as it is remembered, and the parts of another request that it applies to. */
import { createHash } from "node:crypto";
import type { Edit, Path } from "../../system/json-edits.ts";
import type { Part, WrittenRole } from "../dialects/dialect.ts";
import { countPartChars } from "../estimate-tokens.ts";
import { hashContent, type Stub } from "../shed.ts";
import type { OutgoingRequest } from "../wire/outgoing-request.ts";

/** Everything that was done to a request. */
export type Change = {
  /** Edits that lower the output limit. */
  readonly clamp: readonly Edit[];
  readonly stubs: readonly Stub[];
};

/** A stub without the part that it replaced. `role` is set for a written part: no other part gets its stub. */
export type RememberedStub = Omit<Stub, "part"> & { readonly path?: Path; readonly role?: WrittenRole };

export type RememberedChange = { readonly clamp: readonly Edit[]; readonly stubs: readonly RememberedStub[] };

export const unchanged: RememberedChange = { clamp: [], stubs: [] };

const MAX_STUBS = 2_000;

export function toRemembered({ clamp, stubs }: Change): RememberedChange {
  return { clamp, stubs: stubs.map(({ part, ...stub }) => ({ ...stub, path: part.path, ...writtenRole(part) })) };
}

function writtenRole({ role }: Part): Pick<RememberedStub, "role"> {
  return role === "call" || role === "paste" ? { role } : {};
}

const keyOf = ({ contentHash, role }: Pick<RememberedStub, "contentHash" | "role">): string =>
  `${role ?? ""}${contentHash}`;

/** The newer stub of a content replaces the older one. */
export function mergeStubs(before: readonly RememberedStub[], newer: readonly RememberedStub[]): RememberedStub[] {
  const byContent = new Map(before.map((stub) => [keyOf(stub), stub]));
  for (const stub of newer) {
    if (byContent.size < MAX_STUBS || byContent.has(keyOf(stub))) byContent.set(keyOf(stub), stub);
  }
  return [...byContent.values()];
}

/** The change for the same request: each stub replaces the part at its path. */
export function matchPaths(original: OutgoingRequest, { clamp, stubs }: RememberedChange): Change {
  const parts = new Map(partsOf(original).map((part) => [part.path.join("."), part]));
  return {
    clamp,
    stubs: stubs.flatMap((stub) => {
      const part = parts.get(stub.path?.join(".") ?? "");
      return part === undefined ? [] : [{ ...stub, part }];
    }),
  };
}

/** The newest exchange is left alone: a model that runs a tool again must see the result, even if it is the same. */
export function matchContents(original: OutgoingRequest, remembered: readonly RememberedStub[]): Stub[] {
  if (remembered.length === 0) return [];
  const stubs = new Map(remembered.map((stub) => [keyOf(stub), stub]));
  const lengths = new Set(remembered.map(({ contentChars }) => contentChars));
  return partsOf(original).flatMap((part) => {
    if (part.isNewest || !lengths.has(countPartChars(part.content))) return [];
    const stub = stubs.get(keyOf({ ...hashContent(part.content), ...writtenRole(part) }));
    return stub === undefined ? [] : [{ ...stub, part }];
  });
}

const partsOf = ({ dialect, request }: OutgoingRequest): readonly Part[] => [
  ...dialect.findParts(request),
  ...(dialect.findWrittenParts?.(request) ?? []),
];

/** The same opening sent elsewhere, to another model or by another caller is another conversation. */
export function hashConversation({ dialect, request, target }: OutgoingRequest): string {
  const opening = JSON.stringify(dialect.findOpening(request)) ?? "";
  const { endpoint, model, caller = "" } = target;
  return createHash("sha256").update([dialect.name, endpoint, model, caller, opening].join("\n")).digest("hex");
}
