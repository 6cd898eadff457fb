/**
 * Calls a tool: accepts lenient input (aliases, numbers as strings), runs it, makes the reply fit, words errors and
 * reports the call. Every surface goes through here, so no tool can forget any of it.
 */
import type { DownloadMonitor } from "../acquire/source.ts";
import { joinReply } from "../answer/answer.ts";
import { formatCount, formatSize } from "../answer/phrases.ts";
import type { ClientProfile } from "../config/clients.ts";
import { SpillwayError } from "../errors.ts";
import { type Bound, type Budget, lowerBudget, makeBudget } from "../fit/budget.ts";
import { type FittedClient, fitReply } from "../fit/fit-reply.ts";
import { OVERHEAD_CHARS } from "../fit/limits.ts";
import { ERROR_CHARS, HINT_CHARS } from "../system/clip-lengths.ts";
import { clip } from "../system/safe-names.ts";
import type { Emit } from "../telemetry/events.ts";
import type { Attributes, SpanStart } from "../telemetry/spans.ts";
import { readInput } from "./parameters.ts";
import type { ArtifactLink, ReceivedBytes, RenderedReply, Tool, ToolSession } from "./tool.ts";

/** A reply as it leaves: text and structured content are each complete alone. */
export type ToolReply = {
  readonly text: string;
  /** The text as blocks, which joined are the text: if there are pages, one for each, and our words before and after. */
  readonly blocks: readonly TextBlock[];
  readonly structured: Readonly<Record<string, unknown>>;
  readonly links: readonly ArtifactLink[];
  readonly isError: boolean;
};

/** One block of the text, and the page it shows. */
export type TextBlock = { readonly text: string; readonly page?: number };

/** Calls a tool. Throws only when the session's signal is aborted; everything else is a reply. */
export function callTool(tool: Tool, rawInput: unknown, session: ToolSession): Promise<ToolReply> {
  return session.trace(
    () => startSpan(tool, session),
    async (span) => {
      const { reply, ...outcome } = await callReported(tool, rawInput, session);
      span.set(describeOutcome(reply, outcome));
      return reply;
    },
  );
}

/** The span of a call, by the conventions for MCP and, on other surfaces, for tools of models. */
function startSpan({ name }: Tool, { mcpRequest, client }: ToolSession): SpanStart {
  const isCall = mcpRequest?.method !== "resources/read";
  const attributes: Attributes = {
    ...(isCall && { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name }),
    "spillway.client": client?.name,
  };
  if (mcpRequest === undefined) return { name: `execute_tool ${name}`, attributes };
  const { method, id, protocolVersion, transport, meta } = mcpRequest;
  return {
    name: isCall ? `${method} ${name}` : method,
    kind: "server",
    carrier: meta,
    attributes: {
      ...{ "mcp.method.name": method, "jsonrpc.request.id": String(id), "mcp.protocol.version": protocolVersion },
      ...{ "network.transport": transport, ...attributes },
    },
  };
}

/** The conventions ask for `tool_error`; the code says more. */
const describeOutcome = (reply: ToolReply, { budget, code }: Omit<CallOutcome, "reply">): Attributes => ({
  "spillway.reply.chars": reply.text.length,
  "spillway.reply.limit_chars": budget.chars,
  "spillway.reply.bound": budget.bound,
  "spillway.error.code": code,
  "error.type": reply.isError ? "tool_error" : undefined,
});

async function callReported(tool: Tool, rawInput: unknown, session: ToolSession): Promise<CallOutcome> {
  const startedAt = session.now();
  const origin = { tool: tool.name, client: session.client?.name ?? null };
  const emit: Emit = (event) => session.emit(event, origin);
  const { reply, budget, code } = await runTool(tool, rawInput, { ...session, emit });
  emit({
    event: "tool.called",
    ...origin,
    text_chars: reply.text.length,
    text_bytes: Buffer.byteLength(reply.text),
    structured_chars: JSON.stringify(reply.structured).length,
    limit_chars: budget.chars,
    bound: budget.bound,
    duration_ms: session.now() - startedAt,
    error: code,
  });
  return { reply, budget, code };
}

type CallOutcome = { readonly reply: ToolReply; readonly budget: Budget; readonly code: string | null };

async function runTool(tool: Tool, rawInput: unknown, session: ToolSession): Promise<CallOutcome> {
  const { turn, signal } = session;
  let notes = session.notes ?? [];
  const hasRoom = turn?.join() ?? true;
  const incoming = countIncoming();
  const stopProgress = startProgress(tool, session, incoming.countReceived);
  try {
    if (!hasRoom) throw turnFullError(turn?.maxCalls ?? 0);
    const input = readInput(tool.input, rawInput);
    notes = [...input.notes, ...notes];
    const draft = await tool.run(input.values, { ...session, incoming: incoming.watch });
    const client = await findClient(session);
    const budget = lowerBudget(draft.budget, surfaceOf({ ...session, client }));
    const compose = (chars: number, bound: Bound) =>
      composeReply(draft.render(chars, bound, notes), notes, { chars, limitChars: budget.chars });
    const reply = fitReply(compose, budget, client);
    turn?.spend(reply.text.length);
    draft.onSent?.();
    return { reply, budget, code: null };
  } catch (error) {
    signal.throwIfAborted();
    const code = error instanceof SpillwayError ? error.code : "internal";
    const reply = errorReply(error, notes);
    turn?.spend(reply.text.length);
    return { reply, budget: makeBudget({ default: 0 }), code };
  } finally {
    stopProgress();
  }
}

function turnFullError(maxCalls: number): SpillwayError {
  return new SpillwayError("turn_full", `One turn has room for ${formatCount(maxCalls, "result")}.`, {
    hint: "Repeat this call alone.",
  });
}

/** The client and what it accepts; tokens are counted by its model's tokenizer where there is one. */
async function findClient({ client, tokenizer }: ToolSession): Promise<SurfaceClient | undefined> {
  const counter = await tokenizer();
  const max = client?.limit.tokens;
  if (client === undefined || counter === undefined || max === undefined) return client;
  return { ...client, limit: { ...client.limit, tokens: { ...counter, max } } };
}

type SurfaceClient = FittedClient & Pick<ClientProfile, "unaskedChars">;

/** What the surface of a call allows, for lowerBudget. */
export function surfaceOf({ client, turn }: { client?: SurfaceClient | undefined } & Pick<ToolSession, "turn">) {
  return { client: client?.limit, unasked: client?.unaskedChars, turn: turn?.shareChars() };
}

const PROGRESS_INTERVAL_MS = 2_000;

/** Reports at intervals that a long call is still running, and how far its download is. Returns a function that stops it. */
function startProgress({ title }: Tool, { progress }: ToolSession, countReceived: () => ReceivedBytes): () => void {
  if (progress === undefined) return () => undefined;
  const startedAt = performance.now();
  let reportedBytes = 0;
  const report = () => {
    const { bytes, totalBytes } = countReceived();
    const working = `${title}: working for ${Math.round((performance.now() - startedAt) / 1_000)} s`;
    if (bytes === reportedBytes) return progress(working);
    reportedBytes = bytes;
    const ofTotal = totalBytes === undefined ? "" : ` of ${formatSize(totalBytes)}`;
    progress(`${working}, ${formatSize(bytes)}${ofTotal} received`, { bytes, totalBytes });
  };
  const timer = setInterval(report, PROGRESS_INTERVAL_MS);
  return () => clearInterval(timer);
}

/** Adds up the bodies of a call; the total is known only while every body states its size. */
function countIncoming(): { readonly watch: DownloadMonitor; countReceived(): ReceivedBytes } {
  let bytes = 0;
  let totalBytes: number | undefined = 0;
  return {
    watch: {
      begin(sizeBytes) {
        totalBytes = totalBytes === undefined || sizeBytes === undefined ? undefined : totalBytes + sizeBytes;
      },
      add(count) {
        bytes += count;
      },
    },
    countReceived: () => ({ bytes, totalBytes }),
  };
}

function composeReply(
  rendered: RenderedReply,
  notes: readonly string[],
  room: { readonly chars: number; readonly limitChars: number },
): ToolReply {
  const { summary, required = [], notices, body, structured, links = [], failed = false } = rendered;
  const text = joinReply({ summary, required: [...required, ...notes], notices }, body, room);
  return {
    text,
    blocks: splitBlocks(text, rendered),
    structured: { ...structured, notes },
    links,
    isError: failed,
  };
}

/** More pages than this are one block: readers do not look at so many one by one. */
const MAX_BLOCKS = 50;

/** Our words before and after the pages are blocks of their own. */
function splitBlocks(text: string, { body, pages = [], contentEnd = body.length }: RenderedReply): TextBlock[] {
  if (pages.length === 0 || pages.length > MAX_BLOCKS) return [{ text }];
  const bodyStart = text.length - body.length;
  const edges = [...pages.map(({ offset }) => bodyStart + offset), bodyStart + contentEnd];
  const blocks = pages.map(({ page }, index) => ({ text: text.slice(edges[index], edges[index + 1]), page }));
  const after = text.slice(bodyStart + contentEnd);
  return [{ text: text.slice(0, edges[0]) }, ...blocks, ...(after === "" ? [] : [{ text: after }])];
}

/** The error's sentence is alone on the first line; what to do follows. */
function errorReply(error: unknown, notes: readonly string[]): ToolReply {
  const isOurs = error instanceof SpillwayError;
  const message = clip(error instanceof Error ? error.message : String(error), ERROR_CHARS);
  const hint = clip(isOurs ? error.hint : "This is a bug in the tool; other calls are not affected.", HINT_CHARS);
  const head = { summary: `${message}\n${hint}`, required: notes, notices: [] };
  const text = joinReply(head, "", { chars: HINT_CHARS, limitChars: 2 * OVERHEAD_CHARS });
  return {
    text,
    blocks: [{ text }],
    structured: { error: message, code: isOurs ? error.code : "internal", hint, notes },
    links: [],
    isError: true,
  };
}
