/** The opencode plugin: results of all tools bounded before the model sees them, and a tool that reads on. */
import { tool } from "@opencode-ai/plugin";
import { boundToolResult, callTool, findClientProfile, findTool, openSession } from "spillway";

const reader = findTool("read_artifact");

/** Called by opencode when it starts in a folder. */
export const SpillwayPlugin = async ({ directory }) => {
  const session = await openSession({ cwd: directory, confined: true });
  return {
    tool: { [reader.name]: makeReader(session) },
    "tool.execute.after": async (input, output) => {
      if (input.tool === reader.name || typeof output.output !== "string") return;
      const content = [{ type: "text", text: output.output }];
      const bounded = await boundToolResult({ content }, { session, tool: input.tool, client: "opencode" });
      if (bounded !== undefined) output.output = bounded.content.map(({ text = "" }) => text).join("\n");
    },
  };
};

function makeReader(session) {
  const { string, number } = tool.schema;
  return tool({
    description: reader.about,
    args: {
      artifact_ref: string().describe("The artifact_ref of an earlier result."),
      offset: number().optional().describe("Where to continue, in characters."),
      query: string().optional().describe(reader.input.query.about),
      section: string().optional().describe(reader.input.section.about),
      lines: string().optional().describe(reader.input.lines.about),
    },
    async execute(args, context) {
      const signal = AbortSignal.any([session.signal, context.abort]);
      const reply = await callTool(reader, args, { ...session, signal, client: findClientProfile("opencode") });
      return reply.text;
    },
  });
}
