/** What a tool is: a name, a table of parameters, and a function that answers; callTool does what all have in common. */

import type { ClientProfile } from "../config/clients.ts";
import type { PageStart } from "../extract/readings.ts";
import type { Bound, Budget } from "../fit/budget.ts";
import type { Session } from "../session/session.ts";
import type { Fields, Input, JsonSchema } from "./parameters.ts";
import type { Turn } from "./turn-budget.ts";

/** A session as tools see it, with what the surface knows about this call. */
export type ToolSession = Session & {
  /** The program the reply goes to, where it is known. */
  readonly client?: ClientProfile | undefined;
  /** What this call shares its room with: the other calls of the same turn. */
  readonly turn?: Turn | undefined;
  /** Told now and then while a call takes long, with what has come in where it is a download. */
  readonly progress?: ((message: string, received?: Received) => void) | undefined;
  /** Tells the program itself, beside the reply, what its log should say. */
  readonly inform?: ((level: "info" | "warning", message: string) => void) | undefined;
  /** What the next reply should tell its reader besides its own notes. */
  readonly notes?: readonly string[] | undefined;
};

/** Bytes that came in so far, and in all where that is known. */
export type Received = { readonly bytes: number; readonly totalBytes: number | undefined };

/** What a client may assume about a tool before calling it. */
export type ToolHints = {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  /** Whether it reaches things outside of this machine. */
  readonly openWorldHint: boolean;
};

/** A tool, defined once for every surface. */
export interface Tool<F extends Fields = Fields> {
  readonly name: string;
  readonly title: string;
  /** What it does and what to do next, in a few sentences. */
  readonly about: string;
  readonly input: F;
  /** Holds for the structured content of every reply, errors too. */
  readonly output: JsonSchema;
  readonly hints: ToolHints;
  run(input: Input<F>, session: ToolSession): Promise<ReplyDraft>;
}

/** A reply before it is fitted: it can be put into words for any number of characters of content, down to none. */
export type ReplyDraft = {
  /** What the content may take; callTool lowers it for the client and the turn. */
  readonly budget: Budget;
  /** `notes` will stand among the fields: for a reply that tells its own length. */
  render(chars: number, bound: Bound, notes: readonly string[]): Rendered;
  /** Told once the reply is settled; the last rendering is the one that leaves. */
  onSent?(): void;
};

/** A reply put into words: ours, then the sources', and the same as fields. */
export type Rendered = {
  readonly summary: string;
  readonly notices: readonly string[];
  /** Contents below their marks; empty where there are none. */
  readonly body: string;
  /** Where in the body pages begin, where the reply is of one source that has pages. */
  readonly pages?: readonly PageStart[];
  readonly structured: Readonly<Record<string, unknown>>;
  readonly links?: readonly ArtifactLink[];
  /** Set where nothing of what was asked for could be done. */
  readonly failed?: boolean;
};

/** An artifact that a client can open by itself. */
export type ArtifactLink = {
  readonly artifact_ref: string;
  readonly name: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
};

/** Keeps the types of a tool's own parameters while it stands in a list with others. */
export function defineTool<const F extends Fields>(tool: Tool<F>): Tool {
  return tool;
}
