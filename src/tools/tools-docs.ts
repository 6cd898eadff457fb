/** Describes the tools as the Markdown of docs/tools.md. */
import { grouped } from "../answer/phrases.ts";
import { FIELDS_CHARS } from "../fit/serialized-size.ts";
import { tools } from "./tools.ts";

export function toolsMarkdown(): string {
  const sections = tools.map(({ name, about, input }) => {
    const rows = Object.entries(input).map(([field, { type, required, choices, about: what }]) => {
      const kind = choices === undefined ? type : choices.join(" \\| ");
      return `| \`${field}\` | ${kind}${required ? ", required" : ""} | ${what} |`;
    });
    return `## \`${name}\`\n\n${about}\n\n| parameter | type | meaning |\n|---|---|---|\n${rows.join("\n")}\n`;
  });
  return `${opening}\n${sections.join("\n")}`;
}

const opening = `# Tools

Each tool is defined once and is the same over MCP and in the library (\`callTool\`). A reply has two forms, a text and
structured content; each is complete alone, and every handle stands in both.

Input is taken kindly: empty texts are absent, numbers and lists may come as texts, \`max_chars\` and \`maxChars\` are one
name, and a parameter that does not exist is named in a note. A call that cannot be understood says what to send instead.

The content of a reply stays within what was asked for (by default 30,000 characters, never more than 100,000), the
summary and notices beside it add at most 600 characters, the fields beside it at most ${grouped(FIELDS_CHARS)}. Several sources share one
reply: short ones are whole, long ones share what is left. Where the client is known, its own limit
([clients](mcp.md#clients)) holds for each form as a whole.
`;
