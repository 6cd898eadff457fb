/** What a tool is: a name, a table of parameters and a function. callTool does everything that tools have in common. */

import type { ClientProfile } from "../config/clients.ts";
import type { PageStart } from "../extract/select/readings.ts";
import type { Bound, Budget } from "../fit/budget.ts";
import type { Session } from "../session/session.ts";
import type { Fields, Input, JsonSchema } from "./parameters.ts";
import type { TurnBudget } from "./turn-budget.ts";

/** A session as tools see it, with what the surface knows about this call. */
export type ToolSession = Session & {
  /** The client program that gets the reply, where it is known. */
  readonly client?: ClientProfile | undefined;
  /** The budget that this call shares with the other calls of its turn. */
  readonly turn?: TurnBudget | undefined;
  /** Called at intervals during a long call, with the bytes received where it is a download. */
  readonly progress?: ((message: string, received?: ReceivedBytes) => void) | undefined;
  /** Writes to the client's log, beside the reply. */
  readonly inform?: ((level: "info" | "warning", message: string) => void) | undefined;
  /** The request of the Model Context Protocol that this call answers, for its span. */
  readonly mcpRequest?: McpRequest | undefined;
  /** Notes of the surface, shown in the reply after its own. */
  readonly notes?: readonly string[] | undefined;
};

export type McpRequest = {
  readonly method: "tools/call" | "resources/read";
  readonly id: string | number;
  readonly protocolVersion: string | undefined;
  /** Whether it came over stdio or over HTTP. */
  readonly transport: "pipe" | "tcp";
  /** `_meta`, which may hold the caller's trace context. */
  readonly meta: unknown;
};

/** Bytes received so far, and the total where it is known. */
export type ReceivedBytes = { readonly bytes: number; readonly totalBytes: number | undefined };

/** What a client may assume about a tool before calling it. */
export type ToolHints = {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  /** Whether it accesses anything outside this machine. */
  readonly openWorldHint: boolean;
};

/** A tool, defined once for every surface. */
export interface Tool<F extends Fields = Fields> {
  readonly name: string;
  readonly title: string;
  /** What it does and what to do next, in a few sentences. */
  readonly about: string;
  readonly input: F;
  /** The schema of the structured content of every reply, errors included. */
  readonly output: JsonSchema;
  readonly hints: ToolHints;
  /** Set where another tool does the same: it can be called, and is listed only on request. */
  readonly isUnlisted?: true;
  /** Set for the tools of every session: clients that search for tools then offer them from the start. */
  readonly isCore?: true;
  /** Whether it can work here at all; one that cannot is not listed. Default: yes. */
  isOffered?(session: Pick<Session, "settings" | "env">): boolean;
  run(input: Input<F>, session: ToolSession): Promise<ReplyDraft>;
}

/** A reply that is not fitted yet: it can be rendered for any number of characters of content, down to none. */
export type ReplyDraft = {
  /** What the content may take; callTool lowers it for the client and the turn. */
  readonly budget: Budget;
  /** `notes` become a field: a reply that states its own length has to count them. */
  render(chars: number, bound: Bound, notes: readonly string[]): RenderedReply;
  /** Called once the reply is final; the last rendering is the one that is sent. */
  onSent?(): void;
};

/** A rendered reply: our text, then the sources' contents, and the same as fields. */
export type RenderedReply = {
  readonly summary: string;
  /** What a reader must know, one sentence each: shown whole, at the cost of content. Default: none. */
  readonly required?: readonly string[];
  /** Other notices; where they do not fit, whole ones are left out. */
  readonly notices: readonly string[];
  /** The sources' words, inside the fence of untrusted content; empty where there are none. */
  readonly body: string;
  /** Where pages begin in the body, for a reply about one source that has pages. */
  readonly pages?: readonly PageStart[];
  /** Where the last page ends in the body. */
  readonly contentEnd?: number;
  readonly structured: Readonly<Record<string, unknown>>;
  readonly links?: readonly ArtifactLink[];
  /** Set where nothing that was asked for succeeded. */
  readonly failed?: boolean;
};

/** An artifact that a client can open on its own. */
export type ArtifactLink = {
  readonly artifact_ref: string;
  readonly name: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
};

/** Types the input of `run` by the tool's own parameters, and returns a Tool that fits into a list. */
export function defineTool<const F extends Fields>(tool: Tool<F>): Tool {
  return tool;
}
