/** Carries a plan out: keeps each part, then puts its stub in its place; what cannot be kept is not touched. */
import { createHash } from "node:crypto";
import { type StubReader, stubText } from "../answer/stub-text.ts";
import type { Part, PartContent } from "./dialects/dialect.ts";
import type { Keep, Kept } from "./keep-part.ts";
import type { Plan } from "./plan.ts";
import { type Edit, type Path, textAt } from "./wire/json-edits.ts";
import type { Outgoing } from "./wire/outgoing-request.ts";

/** A part that was replaced, with the stub that now stands for it. */
export type Stub = {
  readonly part: Part;
  readonly ref: string;
  readonly contentHash: string;
  readonly contentChars: number;
  readonly text: string;
};

export type Shedding = {
  /** Edits that lower the output room. */
  readonly clamp: readonly Edit[];
  readonly stubs: readonly Stub[];
  /** Parts that had to stay because they could not be kept. */
  readonly unkept: readonly Path[];
};

/** Keeps before it stubs; the stubs are in the order of the plan. */
export async function shed({ dialect, request, json }: Outgoing, plan: Plan, keep: Keep): Promise<Shedding> {
  const hasReader = dialect.toolNames(request).some((name) => /(^|[^a-z])read_artifact$/.test(name));
  const stubs: Stub[] = [];
  const unkept: Path[] = [];
  for (const { part, shownChars } of plan.sheds) {
    const whole = asSent(part, json);
    const kept = await keep(whole);
    if (kept === undefined) unkept.push(part.at);
    else stubs.push({ part, ref: kept.ref, ...known(part, kept), text: textFor(whole, shownChars, kept, hasReader) });
  }
  return { clamp: plan.clamp, stubs, unkept };
}

/** The hash of a text that was just kept is known already. */
function known({ content, verbatim }: Part, { sha256 }: Kept): ReturnType<typeof identity> {
  return "text" in content && !verbatim
    ? { contentHash: sha256, contentChars: content.text.length }
    : identity(content);
}

/** A value that is no text is kept as it was written: reading and writing it again would round its numbers. */
function asSent(part: Part, json: string | undefined): Part {
  return part.verbatim && json !== undefined ? { ...part, content: { text: textAt(json, part.at) } } : part;
}

function textFor({ content, tool }: Part, shownChars: number, kept: Kept, hasReader: boolean): string {
  const reader: StubReader = hasReader ? { tool: "read_artifact" } : { path: kept.path };
  const facts = {
    ref: kept.ref,
    kind: kept.kind,
    sizeBytes: kept.sizeBytes,
    reader,
    ...("text" in content ? { text: content.text } : {}),
    ...("name" in content && content.name !== undefined ? { name: content.name } : {}),
    ...(tool === undefined || tool === "" ? {} : { tool }),
  };
  return stubText(facts, shownChars);
}

/** The edit that puts a stub in its place. */
export function stubEdit({ part, text }: Stub): Edit {
  return { at: part.at, value: part.replacement(text) };
}

/** What tells one content from another: its length first, which costs nothing, then its hash. */
export function identity(content: PartContent): { readonly contentHash: string; readonly contentChars: number } {
  const text = "text" in content ? content.text : content.base64;
  return { contentHash: createHash("sha256").update(text).digest("hex"), contentChars: text.length };
}
