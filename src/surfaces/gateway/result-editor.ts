/** Edits what one server sends: its list of tools, and results that are too large. Everything else stays as it is. */
import { type ClientProfile, findClientProfile } from "../../config/clients.ts";
import { lowerBudget, makeSourceBudget } from "../../fit/budget.ts";
import type { Session } from "../../session/session.ts";
import { findClientView } from "./client-view.ts";
import { isObject, type JsonObject, toList, toObject, toText } from "./json-rpc.ts";
import type { ReadTool } from "./read-tool.ts";
import { boundResult, REF_KEY } from "./results/bound-result.ts";
import { canTrim } from "./results/structured.ts";
import type { RelayMode, ToolRules } from "./tool-rules.ts";

export type EditorOptions = {
  readonly session: Session;
  /** The name of the server, in records and errors. */
  readonly server: string;
  readonly rules: ToolRules;
  readonly readTool: ReadTool;
  /** Whether our tool is added to the list. */
  readonly listsReadTool: boolean;
  /** The name of the server in the client's config, where it is known: clients build tool names from it. */
  readonly configName?: string | undefined;
  log(sentence: string): void;
};

export type ResultEditor = {
  /** The result as it passes, or undefined if it passes unchanged. A fault of ours never costs a result. */
  edit(request: SentRequest, result: JsonObject): Promise<JsonObject | undefined>;
};

/** What the client asked the server for. */
export type SentRequest = {
  readonly method: string;
  /** The name of the called tool; empty for other methods. */
  readonly tool: string;
  readonly client: ClientProfile | undefined;
};

/** The request of a message. The client names itself in the handshake or, in newer revisions, with each request. */
export function readRequest(method: string, params: JsonObject, client: ClientProfile | undefined): SentRequest {
  return { method, tool: toText(params.name) ?? "", client };
}

/** The profile of the client that a message names; undefined if it names none. */
export function readClient(method: string, params: JsonObject): ClientProfile | undefined {
  const info =
    method === "initialize" ? params.clientInfo : toObject(params._meta)["io.modelcontextprotocol/clientInfo"];
  return isObject(info) ? findClientProfile(toText(info.name)) : undefined;
}

/** The editor of one server's messages. */
export function createEditor(options: EditorOptions): ResultEditor {
  const { session, server, rules, readTool, configName, log } = options;
  /** The shapes that clients were shown. */
  const schemas = new Map<string, JsonObject>();

  async function edit(request: SentRequest, result: JsonObject): Promise<JsonObject | undefined> {
    try {
      if (request.method === "tools/list") return editList(request, result);
      return request.method === "tools/call" ? await editResult(request, result) : undefined;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log(`a result of ${request.tool || server} passed as it is: ${reason}`);
      return undefined;
    }
  }

  /** Our tool is listed once, on the last page. */
  function editList({ client }: SentRequest, result: JsonObject): JsonObject {
    const tools = toList(result.tools).filter(isObject);
    if (tools.some(({ name }) => name === readTool.name)) readTool.yieldName();
    const listed = tools.map((tool) => editTool(tool, client));
    const isLast = options.listsReadTool && result.nextCursor === undefined;
    return { ...result, tools: isLast ? [...listed, readTool.describe()] : listed };
  }

  /** A shape stays only if bounded results can keep it. Where the model sees nothing but structured content, no shape stays. */
  function editTool(tool: JsonObject, client: ClientProfile | undefined): JsonObject {
    const name = toText(tool.name) ?? "";
    const { outputSchema, ...rest } = tool;
    if (!isObject(outputSchema) || modeOf(name, client) !== "bound") return tool;
    if (findClientView(client?.name).shows === "structured" || !canTrim(outputSchema)) return rest;
    schemas.set(name, outputSchema);
    return tool;
  }

  function modeOf(tool: string, client: ClientProfile | undefined): RelayMode {
    return rules.modeOf(tool) ?? (findClientView(client?.name).hasScripts ? "annotate" : "bound");
  }

  async function editResult({ tool, client }: SentRequest, result: JsonObject): Promise<JsonObject | undefined> {
    const mode = modeOf(tool, client);
    const isUnfinished = result.resultType !== undefined && result.resultType !== "complete";
    if (mode === "off" || isUnfinished) return undefined;
    const view = findClientView(client?.name);
    const bounded = await boundResult(result, {
      ...{ session, server, tool, shows: view.shows, schema: schemas.get(tool) },
      budget: lowerBudget(makeSourceBudget(session.settings).inline, { client: client?.limit }),
      readTool: configName === undefined ? readTool.name : view.spell(configName, readTool.name),
    });
    return mode === "annotate" && bounded !== undefined ? annotate(result, bounded) : bounded;
  }

  return { edit };
}

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
