/** The pi extension: our tools, and the results of all other tools bounded before the model sees them. */
import { boundToolResult, builtInTools, callTool, findClientProfile, inputSchema, openSession } from "spillway";

const offered = ["fetch_content", "read_artifact", "search_code"];

/** Called by pi when it loads the extension. */
export default function spillway(pi) {
  let opening;
  const open = () => {
    opening ??= openSession({ confined: true });
    return opening;
  };
  for (const tool of builtInTools.filter(({ name }) => offered.includes(name))) pi.registerTool(toPiTool(tool, open));
  pi.on("tool_result", (event) => boundEvent(event, open));
  pi.on("session_shutdown", async () => {
    const session = await opening;
    opening = undefined;
    await session?.[Symbol.asyncDispose]();
  });
}

function toPiTool(tool, open) {
  return {
    name: tool.name,
    label: tool.title,
    description: tool.about,
    parameters: { ...inputSchema(tool.input), type: "object" },
    async execute(_callId, params, signal) {
      const session = await open();
      const both = signal === undefined ? session.signal : AbortSignal.any([session.signal, signal]);
      const reply = await callTool(tool, params, { ...session, signal: both, client: findClientProfile("pi") });
      if (reply.isError) throw new Error(reply.text);
      return { content: [{ type: "text", text: reply.text }], details: {} };
    },
  };
}

/** Our own replies fit already. */
async function boundEvent({ toolName, content, isError }, open) {
  if (offered.includes(toolName)) return undefined;
  const session = await open();
  const bounded = await boundToolResult({ content, isError }, { session, tool: toolName, client: "pi" });
  return bounded === undefined ? undefined : { content: bounded.content };
}
