/** What the official conformance suite asks a server for, on top of our own MCP server. Only tests use it. */
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type CreateMessageRequest,
  createRequestStateCodec,
  type ElicitRequestFormParams,
  type GetPromptResult,
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { createMcpServer, type McpServerOptions } from "../../../src/surfaces/mcp/mcp-server.ts";
import { enumForm, formWithDefaults, nameForm, schemaOfTool } from "./fixture-schemas.ts";

/** The smallest picture and sound that are valid. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";
const WAV = Buffer.from(
  "RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\0\0\0\0",
  "latin1",
);

const image = { type: "image" as const, data: PNG, mimeType: "image/png" };
const audio = { type: "audio" as const, data: WAV.toString("base64"), mimeType: "audio/wav" };
const text = (words: string) => ({ type: "text" as const, text: words });
const embedded = (uri: string, mimeType: string, words: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType, text: words },
});

type Result = CallToolResult | InputRequiredResult;
type Call = (context: ServerContext, input: Readonly<Record<string, unknown>>) => Promise<Result> | Result;

const answer = (...content: CallToolResult["content"]): CallToolResult => ({ content });

/** Our own server, with the suite's tools, resources and prompts in place of ours. */
export function createFixtureServer(options: McpServerOptions): Server {
  const server = createMcpServer(options);
  server.registerCapabilities({ prompts: {}, completions: {}, resources: { subscribe: true } });
  server.setRequestHandler("tools/list", () => ({ tools: Object.keys(calls).map(listTool) }));
  server.setRequestHandler("tools/call", ({ params }, context) => {
    const call = Object.hasOwn(calls, params.name) ? calls[params.name] : undefined;
    if (call === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown tool.");
    return call(context, params.arguments ?? {});
  });
  addResources(server);
  addPrompts(server);
  server.setRequestHandler("completion/complete", () => ({
    completion: { values: ["weir"], total: 1, hasMore: false },
  }));
  return server;
}

const listTool = (name: string) => ({
  name,
  description: `Answers ${name} of the suite.`,
  inputSchema: schemaOfTool(name),
});

const calls: Readonly<Record<string, Call>> = {
  json_schema_2020_12_tool: () => answer(text("done")),
  test_simple_text: () => answer(text("This is a simple text response for testing.")),
  test_image_content: () => answer(image),
  test_audio_content: () => answer(audio),
  test_embedded_resource: () =>
    answer(embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")),
  test_multiple_content_types: () =>
    answer(
      text("Multiple content types test:"),
      image,
      embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ),
  test_error_handling: () => ({
    ...answer(text("This tool intentionally returns an error for testing")),
    isError: true,
  }),
  async test_tool_with_logging({ mcpReq }) {
    for (const step of ["started", "processing data", "completed"]) await mcpReq.log("info", `Tool execution ${step}`);
    return answer(text("logged"));
  },
  async test_logging_tool({ mcpReq }) {
    await mcpReq.log("info", "A message that only subscribers get.");
    return answer(text("logged"));
  },
  async test_tool_with_progress({ mcpReq }) {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100])
      await mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken: progressToken ?? 0, progress, total: 100 },
      });
    return answer(text("finished"));
  },
  async test_sampling({ mcpReq }, { prompt }) {
    const result = await mcpReq.requestSampling(sampling(String(prompt), 100), inStreamOf(mcpReq));
    return answer(text(`LLM response: ${JSON.stringify(result.content)}`));
  },
  test_elicitation: ({ mcpReq }, { message }) =>
    elicit(mcpReq, "User response", {
      message: String(message),
      requestedSchema: {
        type: "object",
        properties: { username: { type: "string" }, email: { type: "string" } },
        required: ["username", "email"],
      },
    }),
  test_elicitation_sep1034_defaults: ({ mcpReq }) => elicit(mcpReq, "Elicitation completed", formWithDefaults),
  test_elicitation_sep1330_enums: ({ mcpReq }) => elicit(mcpReq, "Elicitation completed", enumForm),
  test_missing_capability() {
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
  },
  test_streaming_elicitation: () => inputRequired({ inputRequests: { user_name: askName("What is your name?") } }),
  test_input_required_result_elicitation({ mcpReq }) {
    const name = readText(mcpReq, "user_name", "name");
    if (name !== undefined) return answer(text(`Hello, ${name}!`));
    return inputRequired({ inputRequests: { user_name: askName("What is your name?") } });
  },
  test_input_required_result_sampling({ mcpReq }) {
    const view = inputResponse(mcpReq.inputResponses, "capital_question");
    if (view.kind === "sampling") return answer(text(JSON.stringify(view.result.content)));
    const question = inputRequired.createMessage(sampling("What is the capital of France?", 100));
    return inputRequired({ inputRequests: { capital_question: question } });
  },
  test_input_required_result_list_roots({ mcpReq }) {
    const view = inputResponse(mcpReq.inputResponses, "client_roots");
    if (view.kind === "roots") return answer(text(view.roots.map(({ uri }) => uri).join("\n")));
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  },
  async test_input_required_result_request_state(context) {
    const ok = inputResponse(context.mcpReq.inputResponses, "confirm").kind === "elicit";
    if (ok && (await readState(context)) === "confirm") return answer(text("state-ok"));
    const confirm = inputRequired.elicit({
      message: "Please confirm",
      requestedSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
    });
    return inputRequired({ inputRequests: { confirm }, requestState: await codec.mint("confirm") });
  },
  async test_input_required_result_multiple_inputs(context) {
    const { inputResponses } = context.mcpReq;
    const keys = ["user_name", "greeting", "client_roots"];
    if (
      keys.every((key) => inputResponse(inputResponses, key).kind !== "missing") &&
      (await readState(context)) === "many"
    )
      return answer(text("Everything arrived."));
    const inputRequests = {
      user_name: askName("What is your name?"),
      greeting: inputRequired.createMessage(sampling("Generate a greeting", 50)),
      client_roots: inputRequired.listRoots(),
    };
    return inputRequired({ inputRequests, requestState: await codec.mint("many") });
  },
  async test_input_required_result_multi_round(context) {
    const state = await readState(context);
    if (state === "round 2" && readText(context.mcpReq, "step2", "color") !== undefined)
      return answer(text("Both steps are done."));
    if (state === "round 1" && readText(context.mcpReq, "step1", "name") !== undefined)
      return inputRequired({
        inputRequests: { step2: inputRequired.elicit(nameForm("Step 2: What is your favorite color?", "color")) },
        requestState: await codec.mint("round 2"),
      });
    return inputRequired({
      inputRequests: { step1: askName("Step 1: What is your name?") },
      requestState: await codec.mint("round 1"),
    });
  },
  async test_input_required_result_tampered_state(context) {
    if ((await readState(context)) === "sealed") return answer(text("The state is intact."));
    return inputRequired({
      inputRequests: { confirm: askName("What is your name?") },
      requestState: await codec.mint("sealed"),
    });
  },
  test_input_required_result_capabilities({ mcpReq }) {
    const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope };
    const capabilities = { ...Object(envelope[CLIENT_CAPABILITIES_META_KEY]) };
    const inputRequests: Record<string, InputRequest> = {
      ...("elicitation" in capabilities && { user_name: askName("What is your name?") }),
      ...("sampling" in capabilities && { greeting: inputRequired.createMessage(sampling("Generate a greeting", 50)) }),
      ...("roots" in capabilities && { client_roots: inputRequired.listRoots() }),
    };
    return inputRequired({ inputRequests });
  },
};

type McpRequest = ServerContext["mcpReq"];

const askName = (message: string): InputRequest => inputRequired.elicit(nameForm(message, "name"));

function sampling(words: string, maxTokens: number): CreateMessageRequest["params"] {
  return { messages: [{ role: "user", content: text(words) }], maxTokens };
}

/** Without this the SDK sends a request in the stream of notifications, and loses it while the client has none open. */
const inStreamOf = ({ id }: McpRequest) => ({ relatedRequestId: id });

async function elicit(mcpReq: McpRequest, label: string, form: ElicitRequestFormParams): Promise<Result> {
  const { action, content = {} } = await mcpReq.elicitInput(form, inStreamOf(mcpReq));
  return answer(text(`${label}: action=${action}, content=${JSON.stringify(content)}`));
}

function readText({ inputResponses }: McpRequest, key: string, field: string): string | undefined {
  const view = inputResponse(inputResponses, key);
  const value = view.kind === "elicit" && view.action === "accept" ? view.content?.[field] : undefined;
  return typeof value === "string" ? value : undefined;
}

/** Every replica of one run has the same key. */
const codec = createRequestStateCodec<string>({ key: "a key for the fixtures of the conformance suite" });

async function readState(context: ServerContext): Promise<string | undefined> {
  const state = context.mcpReq.requestState<string>();
  if (state === undefined) return undefined;
  try {
    return await codec.verify(state, context);
  } catch {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The request state was changed.");
  }
}

const resources: Readonly<
  Record<string, { readonly mimeType: string } & ({ readonly text: string } | { readonly blob: string })>
> = {
  "test://static-text": { mimeType: "text/plain", text: "This is the content of the static text resource." },
  "test://static-binary": { mimeType: "image/png", blob: PNG },
  "test://watched-resource": { mimeType: "text/plain", text: "This resource is watched." },
};

function addResources(server: Server): void {
  server.setRequestHandler("resources/list", () => ({
    resources: Object.entries(resources).map(([uri, { mimeType }]) => ({ uri, name: uri, mimeType })),
  }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template", mimeType: "application/json" }],
  }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => {
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    const words = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    if (id !== undefined) return { contents: [{ uri, mimeType: "application/json", text: words }] };
    const resource = resources[uri];
    if (resource === undefined) throw new ResourceNotFoundError(uri, "There is no such resource.");
    return { contents: [{ uri, ...resource }] };
  });
  server.setRequestHandler("resources/subscribe", () => ({}));
  server.setRequestHandler("resources/unsubscribe", () => ({}));
}

type Prompt = (args: Readonly<Record<string, string>>, mcpReq: McpRequest) => GetPromptResult | InputRequiredResult;

const say = (...contents: GetPromptResult["messages"][number]["content"][]): GetPromptResult => ({
  messages: contents.map((content) => ({ role: "user", content })),
});

const prompts: Readonly<Record<string, { readonly args: readonly string[]; readonly get: Prompt }>> = {
  test_simple_prompt: { args: [], get: () => say(text("This is a simple prompt for testing.")) },
  test_prompt_with_arguments: {
    args: ["arg1", "arg2"],
    get: ({ arg1, arg2 }) => say(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  },
  test_prompt_with_embedded_resource: {
    args: ["resourceUri"],
    get: ({ resourceUri = "" }) =>
      say(
        embedded(resourceUri, "text/plain", "Embedded resource content for testing."),
        text("Please process the embedded resource above."),
      ),
  },
  test_prompt_with_image: { args: [], get: () => say(image, text("Please analyze the image above.")) },
  test_input_required_result_prompt: {
    args: [],
    get(_, mcpReq) {
      const context = readText(mcpReq, "user_context", "context");
      if (context !== undefined) return say(text(`Use this context: ${context}`));
      const question = inputRequired.elicit(nameForm("What context should the prompt use?", "context"));
      return inputRequired({ inputRequests: { user_context: question } });
    },
  },
};

function addPrompts(server: Server): void {
  server.setRequestHandler("prompts/list", () => ({
    prompts: Object.entries(prompts).map(([name, { args }]) => ({
      name,
      description: `Answers ${name} of the suite.`,
      arguments: args.map((each) => ({ name: each, required: true })),
    })),
  }));
  server.setRequestHandler("prompts/get", ({ params }, { mcpReq }) => {
    const prompt = Object.hasOwn(prompts, params.name) ? prompts[params.name] : undefined;
    if (prompt === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown prompt.");
    return prompt.get(params.arguments ?? {}, mcpReq);
  });
}
