/** Describes the tools as the Markdown of docs/tools.md. */
import { formatNumber } from "../answer/phrases.ts";
import { FIELDS_CHARS } from "../fit/serialized-size.ts";
import { builtInTools } from "./tools.ts";

export function toolsMarkdown(): string {
  const sections = builtInTools.map(({ name, about, input, isUnlisted }) => {
    const rows = Object.entries(input).map(([field, { type, required, choices, about: meaning }]) => {
      const kind = choices === undefined ? type : choices.join(" \\| ");
      return `| \`${field}\` | ${kind}${required ? ", required" : ""} | ${meaning} |`;
    });
    return `## \`${name}\`\n\n${about}${isUnlisted ? UNLISTED : ""}\n\n| parameter | type | meaning |\n|---|---|---|\n${rows.join("\n")}\n`;
  });
  return `${opening}\n${sections.join("\n")}`;
}

const UNLISTED = " Over MCP it is listed only with `mcp.tools` on `all`.";

const opening = `# Tools

Each tool is defined once and is the same over MCP and in the library (\`callTool\`). A reply has two forms, a text and
structured content. Each is complete alone, and both contain every handle.

The command line shows what a model sees of \`fetch_content\` and \`read_artifact\`, with commands in place of calls:

\`\`\`console run
$ spillway fetch handbook.md --max-chars 100
[Fetched text artifact: handbook.md, 2.1 KB. Extracted 2079 chars (truncated=true). Use artifact_ref=af_5b6d1c7e0f9a4c2d8e3b7a6f5d4c3b2a for targeted follow-up.]
Read on: spillway read af_5b6d1c7e0f9a4c2d8e3b7a6f5d4c3b2a --offset 100
...
$ spillway read af_5b6d1c7e0f9a4c2d8e3b7a6f5d4c3b2a --section Fees --max-chars 60
[Read af_5b6d1c7e0f9a4c2d8e3b7a6f5d4c3b2a: "Fees", lines 21-... of 40, from character 986 of 2,079.]
...
\`\`\`

Input is lenient: empty strings count as missing, numbers and lists may be strings, \`max_chars\` and \`maxChars\` are the
same name, and a note names parameters that do not exist. The error of a call that cannot be understood says what to send.

The content of a reply stays within the requested number of characters (from 1, by default 30,000, never more than 100,000).
Summary and notices add at most 600 characters, the other fields at most ${formatNumber(FIELDS_CHARS)}. Where notices need
more, those that a reader must know (what was not kept, cut or read, and problems of the settings) are shown whole and the
content is shorter; others are left out whole and counted. Several sources share one reply: short
ones are complete, long ones share the remaining room. Over MCP, the limit of the client ([clients](mcp.md#clients)) applies to
what it is sent: the text, the structured content, or the sum of both.

A reply that was cut names the exact next call below its summary: \`Read on: read_artifact artifact_ref=af_... offset=30000\`
(on the command line \`spillway read af_... --offset 30000\`). It ends with \`[Content truncated at 30000 chars. Total: 612345
chars. Use a higher maxChars to retrieve more.]\` where that helps. Where the ceiling, the client or the turn is the limit, or the
tool has no \`maxChars\`, the sentence says so instead. The source's own words are inside a [fence](mcp.md#untrusted-content).

Mode \`raw\` is the source of text and web pages. Of a document it is the extracted text, and the reply says so. With the setting
\`runner.enable_filetype_ingest_router\` on \`off\` or \`shadow\`, a fetch keeps and describes documents without reading them, and
the reply names the setting.
`;
