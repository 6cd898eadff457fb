/** Carries a plan out: keeps each part, then puts its stub in its place; what cannot be kept is not touched. */
import { createHash } from "node:crypto";
import { isStub, refOfStub, type StubReader, shortStub, stubText } from "../answer/stub.ts";
import type { Dialect, Part, PartContent, Request } from "./dialects/dialect.ts";
import type { Edit, Path } from "./edits.ts";
import type { Keep, Kept } from "./keep.ts";
import type { Plan, Shed } from "./plan.ts";

/** A part that was replaced, with the stub that now stands for it. */
export type Stub = {
  readonly ref: string;
  readonly contentHash: string;
  readonly contentChars: number;
  readonly text: string;
  /** The longer stub that stood there before. */
  readonly shortens?: string;
};

export type Shedding = {
  readonly edits: readonly Edit[];
  readonly stubs: readonly Stub[];
  /** Parts that had to stay because they could not be kept. */
  readonly unkept: readonly Path[];
};

/** Keeps before it stubs; the edits are in the order of the plan. */
export async function shed(request: Request, dialect: Dialect, plan: Plan, keep: Keep): Promise<Shedding> {
  const hasReader = dialect.toolNames(request).some((name) => /(^|[^a-z])read_artifact$/.test(name));
  const edits: Edit[] = [...plan.clamp];
  const stubs: Stub[] = [];
  const unkept: Path[] = [];
  for (const one of plan.sheds) {
    const stub = shortened(one.part) ?? stubOf(one, await keep(one.part), hasReader);
    if (stub === undefined) {
      unkept.push(one.part.at);
      continue;
    }
    edits.push({ at: one.part.at, value: one.part.replacement(stub.text) });
    stubs.push(stub);
  }
  return { edits, stubs, unkept };
}

/** What a stub stands for is kept already. */
function shortened({ content }: Part): Stub | undefined {
  if (!("text" in content) || !isStub(content.text)) return undefined;
  const { text: shortens } = content;
  return { ref: refOfStub(shortens), ...identity(content), text: shortStub(shortens), shortens };
}

function stubOf({ part, shownChars }: Shed, kept: Kept | undefined, hasReader: boolean): Stub | undefined {
  if (kept === undefined) return undefined;
  const { content, tool } = part;
  const reader: StubReader = hasReader ? { tool: "read_artifact" } : { path: kept.path };
  const text = stubText(
    {
      ref: kept.ref,
      kind: kept.kind,
      sizeBytes: kept.sizeBytes,
      reader,
      ...("text" in content ? { text: content.text } : {}),
      ...("name" in content && content.name !== undefined ? { name: content.name } : {}),
      ...(tool === undefined || tool === "" ? {} : { tool }),
    },
    shownChars,
  );
  const known = "text" in content ? { contentHash: kept.sha256, contentChars: content.text.length } : identity(content);
  return { ref: kept.ref, ...known, text };
}

/** What tells one content from another: its length first, which costs nothing, then its hash. */
export function identity(content: PartContent): { readonly contentHash: string; readonly contentChars: number } {
  const text = "text" in content ? content.text : content.base64;
  return { contentHash: createHash("sha256").update(text).digest("hex"), contentChars: text.length };
}

/** Puts the stubs of earlier requests in the place of the same contents; every other part stays. */
export function stubAgain(
  parts: readonly Part[],
  known: ReadonlyMap<string, string>,
  lengths: ReadonlySet<number>,
): Edit[] {
  return parts.flatMap((part) => {
    const chars = "text" in part.content ? part.content.text.length : part.content.base64.length;
    const stub = lengths.has(chars) ? known.get(identity(part.content).contentHash) : undefined;
    return stub === undefined ? [] : [{ at: part.at, value: part.replacement(stub) }];
  });
}
