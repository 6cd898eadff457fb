/** Carries out a plan: keeps each part, then makes its stub. A part that cannot be kept stays in the request. */
import { createHash } from "node:crypto";
import { makeStub } from "../answer/stub-text.ts";
import { type Edit, type Path, sliceValue } from "../system/json-edits.ts";
import type { Part, PartContent } from "./dialects/dialect.ts";
import type { Keep, KeptPart } from "./keep-part.ts";
import type { Plan } from "./plan/plan.ts";
import type { OutgoingRequest } from "./wire/outgoing-request.ts";

/** A stub and the part that it replaces. */
export type Stub = {
  readonly part: Part;
  readonly ref: string;
  readonly contentHash: string;
  readonly contentChars: number;
  readonly text: string;
};

/** What was done about a plan. */
export type Shedding = {
  /** Edits that lower the output limit. */
  readonly clamp: readonly Edit[];
  readonly stubs: readonly Stub[];
  /** Parts that had to stay because they could not be kept. */
  readonly unkept: readonly Path[];
};

/** Keeps every part before it makes the stub. The stubs are in the order of the plan. */
export async function shed(
  { dialect, request, json }: OutgoingRequest,
  plan: Pick<Plan, "clamp" | "replacements">,
  keep: Keep,
): Promise<Shedding> {
  const hasReader = dialect.findToolNames(request).some((name) => /(^|[^a-z])read_artifact$/.test(name));
  const stubs: Stub[] = [];
  const unkept: Path[] = [];
  for (const { part, shownChars } of plan.replacements) {
    const wholePart = withExactText(part, json);
    const artifact = await keep(wholePart);
    if (artifact === undefined) unkept.push(part.path);
    else {
      const text = writeStub(wholePart, shownChars, artifact, hasReader);
      stubs.push({ part, ref: artifact.ref, ...identify(part, artifact), text });
    }
  }
  return { clamp: plan.clamp, stubs, unkept };
}

/** A text that was just kept has already been hashed. */
function identify({ content, isVerbatim }: Part, { sha256 }: KeptPart): ContentHash {
  return "text" in content && !isVerbatim
    ? { contentHash: sha256, contentChars: content.text.length }
    : hashContent(content);
}

/** A value that is not a text is kept as it was sent: parsing and writing it again would round its numbers. */
function withExactText(part: Part, json: string | undefined): Part {
  return part.isVerbatim && json !== undefined ? { ...part, content: { text: sliceValue(json, part.path) } } : part;
}

function writeStub({ content, tool, role }: Part, shownChars: number, artifact: KeptPart, hasReader: boolean): string {
  const reader = hasReader || artifact.isRemote ? ({ tool: "read_artifact" } as const) : { path: artifact.path };
  const facts = {
    ref: artifact.ref,
    kind: artifact.kind,
    sizeBytes: artifact.sizeBytes,
    reader,
    ...("text" in content ? { text: content.text } : {}),
    ...("name" in content && content.name !== undefined ? { name: content.name } : {}),
    ...(tool === undefined || tool === "" ? {} : { tool }),
    ...(role === "call" ? { place: "call" as const } : {}),
    ...(role === "paste" ? { place: "message" as const } : {}),
  };
  return makeStub(facts, shownChars);
}

/** The edit that replaces a part by its stub. */
export function makeStubEdit({ part, text }: Stub): Edit {
  return { path: part.path, value: part.makeReplacement(text) };
}

type ContentHash = { readonly contentHash: string; readonly contentChars: number };

/** Identifies a content: its length, which is cheap to compare, and its hash. */
export function hashContent(content: PartContent): ContentHash {
  const text = "text" in content ? content.text : content.base64;
  return { contentHash: createHash("sha256").update(text).digest("hex"), contentChars: text.length };
}
