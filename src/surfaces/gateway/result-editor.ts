/** Edits what one server sends: its list of tools, and results that are too large. Everything else stays as it is. */
import { type ClientProfile, findClientProfile, findModel, unknownClient } from "../../config/clients.ts";
import { type Budget, lowerBudget, makeSourceBudget } from "../../fit/budget.ts";
import type { Session } from "../../session/session.ts";
import type { CallSpan } from "./call-span.ts";
import { findClientView } from "./client-view.ts";
import {
  isObject,
  type JsonObject,
  type Message,
  type RequestId,
  toList,
  toObject,
  toText,
  writeError,
} from "./json-rpc.ts";
import { boundResult, REF_KEY, SIZE_KEY } from "./results/bound-result.ts";
import { keepText } from "./results/keep-result.ts";
import type { ReadTool } from "./tools/read-tool.ts";
import { editTools } from "./tools/tool-list.ts";
import type { ToolPins } from "./tools/tool-pins.ts";
import type { RelayMode, ToolRules } from "./tools/tool-rules.ts";
import type { TurnCall } from "./turns.ts";

export type EditorOptions = {
  readonly session: Session;
  /** The name of the server, in records and errors. */
  readonly server: string;
  readonly rules: ToolRules;
  readonly pins: ToolPins;
  readonly readTool: ReadTool;
  /** Whether our tool is added to the list. */
  readonly listsReadTool: boolean;
  /** The name of the server in the client's config, where it is known: clients build tool names from it. */
  readonly configName?: string | undefined;
  /** Called for each result that was too large, with its length. */
  onBounded?(tool: string, totalChars: number): void;
  log(sentence: string): void;
};

export type ResultEditor = {
  /** The line with the answer to a request as it passes; the same line if it passes unchanged. */
  edit(request: SentRequest, answer: Message): Promise<string>;
};

/** What the client asked the server for. */
export type SentRequest = {
  readonly method: string;
  /** The name of the called tool; empty for other methods. */
  readonly tool: string;
  /** The task that is asked about, where a call became one. */
  readonly taskId: string | undefined;
  readonly client: ClientProfile | undefined;
  /** The call as one of its turn; undefined for other methods. */
  readonly turn?: TurnCall | undefined;
  /** The span of the call; undefined for other methods. */
  readonly span?: CallSpan | undefined;
};

/** The request of a message. The client names itself in the handshake or, in newer revisions, with each request. */
export function readRequest(method: string, params: JsonObject, client: ClientProfile | undefined): SentRequest {
  return { method, tool: toText(params.name) ?? "", taskId: toText(params.taskId), client };
}

/** What is known of a client: the name it gave itself, and the model that it named in a call. */
export type ClientIdentity = { readonly name?: string | undefined; readonly model?: string | undefined };

/** The client names itself in the handshake or, in newer revisions, with each request; some name their model in calls. */
export function learnClient(known: ClientIdentity, method: string, params: JsonObject): ClientIdentity {
  const meta = toObject(params._meta);
  const info = method === "initialize" ? params.clientInfo : meta["io.modelcontextprotocol/clientInfo"];
  return { name: isObject(info) ? toText(info.name) : known.name, model: findModel(meta) ?? known.model };
}

/** The profile of a client. */
export const profileOf = ({ name, model }: ClientIdentity): ClientProfile | undefined => findClientProfile(name, model);

/** The error for a call of a tool that the user's rules leave out, or whose definition waits to be accepted. */
export function refuseCall(
  id: RequestId,
  { method, tool }: SentRequest,
  { rules, pins }: Pick<EditorOptions, "rules" | "pins">,
): string | undefined {
  if (method !== "tools/call") return undefined;
  if (!rules.isOffered(tool))
    return writeError(id, -32602, `The tool ${tool} is not offered by the rules of this gateway.`);
  if (!pins.isHeld(tool)) return undefined;
  const hint = "The user can see and accept the change with spillway gateway --changes.";
  return writeError(id, -32602, `The definition of ${tool} has changed, so it is held back. ${hint}`);
}

/** The editor of one server's messages. */
export function createEditor(options: EditorOptions): ResultEditor {
  const { session, server, rules, readTool, configName, log } = options;
  /** The shapes that clients were shown. */
  const schemas = new Map<string, JsonObject>();

  /** Which tool a task runs. */
  const tasks = new Map<string, string>();

  async function edit(request: SentRequest, { line, json }: Message): Promise<string> {
    request.span?.answered(json);
    try {
      const changed = await editAnswer(request, json);
      request.turn?.finish(countChars(toObject(changed ?? json).result));
      return changed === undefined ? line : JSON.stringify(changed);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log(`a result of ${request.tool || server} is treated as plain text: ${reason}`);
      return editPlainly(request, { line, json });
    }
  }

  /** The answer as it passes; undefined if it is not changed. */
  async function editAnswer(request: SentRequest, json: JsonObject): Promise<JsonObject | undefined> {
    const { result, error } = json;
    const { method, taskId } = request;
    if (method === "tools/call" && isObject(error)) return wrap(json, "error", await editError(request, error));
    if (!isObject(result)) return undefined;
    if (method === "tools/list") return wrap(json, "result", await editList(request, result));
    if (method === "tools/call") noteTask(request.tool, result);
    // Tasks return the result of their call: the experimental ones as an answer of its own, newer ones inside of the task.
    const ofTask = { ...request, tool: tasks.get(taskId ?? "") ?? "task" };
    if (method === "tasks/result") return wrap(json, "result", await editResult(ofTask, result));
    if (method === "tasks/get" && isObject(result.result)) {
      const inner = await editResult(ofTask, result.result);
      return inner && wrap(json, "result", { ...result, result: inner });
    }
    return method === "tools/call" ? wrap(json, "result", await editResult(request, result)) : undefined;
  }

  function noteTask(tool: string, result: JsonObject): void {
    const taskId = toText(result.resultType === "task" ? result.taskId : toObject(result.task).taskId);
    if (taskId === undefined) return;
    const [oldest] = tasks.keys();
    if (tasks.size >= MAX_TASKS && oldest !== undefined) tasks.delete(oldest);
    tasks.set(taskId, tool);
  }

  /** An error of the protocol is shown to the model too. Its data goes into the artifact. */
  async function editError(request: SentRequest, { code, message, data }: JsonObject): Promise<JsonObject | undefined> {
    const more = data === undefined ? "" : `\n${JSON.stringify(data)}`;
    const content = [{ type: "text", text: `${toText(message) ?? ""}${more}` }];
    const bounded =
      modeOf(request.tool, request.client) === "bound"
        ? await editResult(request, { content, isError: true })
        : undefined;
    return bounded && { code, message: readPageText(bounded) };
  }

  /** The message itself becomes the text: something in it, such as thousands of nested lists, could not be handled. */
  async function editPlainly(request: SentRequest, { line, json }: Message): Promise<string> {
    if (request.method === "tools/list") return line;
    const bounded = await editResult(request, { content: [{ type: "text", text: line }] });
    request.turn?.finish(countChars(bounded));
    return bounded === undefined ? line : JSON.stringify({ jsonrpc: "2.0", id: json.id, result: bounded });
  }

  /** Our tool is listed once, on the last page. */
  async function editList({ client }: SentRequest, result: JsonObject): Promise<JsonObject> {
    const {
      tools,
      schemas: kept,
      definitionsRef,
    } = await editTools(result, {
      rules,
      pins: options.pins,
      maxChars: session.settings["gateway.listing_chars"],
      schemaRule: (name) => schemaRule(name, client),
      keepDefinitions: async (text) => (await keepText(text, 0, { session, server, tool: "definitions" })).ref,
    });
    for (const [name, schema] of kept) schemas.set(name, schema);
    if (tools.some(({ name }) => name === readTool.name)) readTool.yieldName();
    if (definitionsRef !== undefined) readTool.addNote(`Full definitions of ${server}: artifact_ref=${definitionsRef}`);
    const isLast = options.listsReadTool && result.nextCursor === undefined;
    return { ...result, tools: isLast ? [...tools, readTool.describe()] : tools };
  }

  /** Where the model sees nothing but structured content, bounded results have only text, so that it sees the notice. */
  function schemaRule(tool: string, client: ClientProfile | undefined): "keep" | "trim" | "drop" {
    if (modeOf(tool, client) !== "bound") return "keep";
    return findClientView(client?.name).shows === "structured" ? "drop" : "trim";
  }

  function modeOf(tool: string, client: ClientProfile | undefined): RelayMode {
    return rules.modeOf(tool) ?? (findClientView(client?.name).hasScripts ? "annotate" : "bound");
  }

  async function editResult({ tool, client, turn }: SentRequest, result: JsonObject): Promise<JsonObject | undefined> {
    const mode = modeOf(tool, client);
    const isUnfinished = result.resultType !== undefined && result.resultType !== "complete";
    if (mode === "off" || isUnfinished) return undefined;
    const view = findClientView(client?.name);
    const budget = makeResultBudget(session.settings, client, turn?.shareChars());
    const bounded = await boundResult(result, {
      ...{ session, server, tool, budget, shows: view.shows, schema: schemas.get(tool) },
      readTool: configName === undefined ? readTool.name : view.spell(configName, readTool.name),
    });
    const totalChars = toObject(bounded?._meta)[SIZE_KEY];
    if (typeof totalChars === "number") options.onBounded?.(tool, totalChars);
    if (typeof totalChars === "number" && mode === "bound")
      session.emit({
        ...{ event: "gateway.bounded", server, tool, client: client?.name ?? null, total_chars: totalChars },
        ...{ returned_chars: countChars(bounded), limit_chars: budget.chars, bound: budget.bound },
      });
    return mode === "annotate" && bounded !== undefined ? annotate(result, bounded) : bounded;
  }

  return { edit };
}

/** Tasks whose tool is remembered. */
const MAX_TASKS = 1_000;

/** A message with another result or error; undefined if that is not changed. */
const wrap = (json: JsonObject, field: "result" | "error", value: JsonObject | undefined): JsonObject | undefined =>
  value && { ...json, [field]: value };

const readPageText = ({ content }: JsonObject): string =>
  toList(content)
    .map((block) => toText(toObject(block).text) ?? "")
    .join("\n");

/** Everything passes, and the ref of the kept copy is added. */
function annotate(result: JsonObject, bounded: JsonObject): JsonObject | undefined {
  const ref = toObject(bounded._meta)[REF_KEY];
  if (typeof ref !== "string") return undefined;
  const note = { type: "text", text: `[Kept as artifact_ref=${ref}.]` };
  return {
    ...result,
    content: [...toList(result.content), note],
    _meta: { ...toObject(result._meta), [REF_KEY]: ref },
  };
}

/** What a result may have: the client's limit, or what clients get without a published limit, and its share of the turn. */
export function makeResultBudget(
  settings: Session["settings"],
  client: ClientProfile = unknownClient,
  turn?: number | undefined,
): Budget {
  const { limit, unaskedChars } = client;
  return lowerBudget(makeSourceBudget(settings).inline, { client: limit, unasked: unaskedChars, turn });
}

/** Characters of a result that a model reads: of its text or of its structured content, whichever is longer. */
export function countChars(result: unknown): number {
  const { content, structuredContent } = toObject(result);
  const texts = toList(content).map((block) => toText(toObject(block).text)?.length ?? 0);
  const json = structuredContent === undefined ? 0 : JSON.stringify(structuredContent).length;
  return Math.max(
    texts.reduce((sum, length) => sum + length, 0),
    json,
  );
}
