/** Describes the MCP server as docs/mcp.md: how to add it, what it offers, how replies fit each client. */
import { clientRows, type ResultLimit } from "../../config/clients.ts";
import { version } from "../../version.ts";

export function renderMcpMarkdown(): string {
  const rows = clientRows.map(
    ({ name, published, pastIt, source }) => `| ${name} | ${formatLimit(published)} | ${pastIt} | ${source} |`,
  );
  return `${introduction}\n| client | limit on one result | past it | source |\n|---|---|---|---|\n${rows.join("\n")}\n`;
}

function formatLimit(limit: ResultLimit): string {
  const words = Object.entries(limit).map(([unit, max]) => `${max.toLocaleString("en-US")} ${unit}`);
  return words.length === 0 ? "not published" : words.join(", ");
}

const introduction = `# The MCP server

\`spillway mcp\` serves the [tools](tools.md) over standard input and output, in revision 2026-07-28 of the protocol and
in those before it back to 2024-11-05.

## Adding it

The command \`spillway\` comes with the package, which is not on the npm registry yet: in the folder of the source,
\`npm pack && npm install -g ./spillway-${version}.tgz\` installs it. Without installing anything,
\`npm --silent --prefix /path/to/the/source start -- mcp\` stands for \`spillway mcp\` in all that follows; once the package is
published, \`npx -y spillway mcp\` will.

Claude Code:

\`\`\`sh
claude mcp add spillway -- spillway mcp
\`\`\`

Codex, in \`~/.codex/config.toml\` (or \`codex mcp add spillway -- spillway mcp\`):

\`\`\`toml
[mcp_servers.spillway]
command = "spillway"
args = ["mcp"]
\`\`\`

Cursor in \`.cursor/mcp.json\`, and most other clients in a file of this form:

\`\`\`json
{ "mcpServers": { "spillway": { "command": "spillway", "args": ["mcp"] } } }
\`\`\`

VS Code, in \`.vscode/mcp.json\`:

\`\`\`json
{ "servers": { "spillway": { "type": "stdio", "command": "spillway", "args": ["mcp"] } } }
\`\`\`

opencode, in \`opencode.json\`, before version 2 and from it on:

\`\`\`json
{ "mcp": { "spillway": { "type": "local", "command": ["spillway", "mcp"] } } }
\`\`\`

\`\`\`json
{ "mcp": { "servers": { "spillway": { "type": "local", "command": ["spillway", "mcp"] } } } }
\`\`\`

pi, from version 1.5 on:

\`\`\`sh
pi mcp add spillway -- spillway mcp
\`\`\`

## What it offers

- The tools, with titles, hints (they read and change nothing), and schemas that hold for every reply, errors too.
- Kept sources as resources: \`artifact://af_...\`, with \`?pages=\`, \`?section=\`, \`?lines=\`, \`?offset=\` or \`?query=\`,
  within the same budget as a tool's reply. Replies link to them from revision 2025-06-18 on.
- \`health://status\`: version, settings and their problems, whether the store can be written.
- \`metrics://prometheus\`: how many searches were cut, how full replies are and what share of results was left out.
- The pages of a PDF as text blocks of their own, each with its number in \`_meta.page\`, below a block of our own words;
  joined, the blocks are the text. Of more than 50 pages the text is one block.
- Progress for who asks for it, of a download in bytes and of how many where the server says so; a cancelled call is aborted, with the parser that works for it. Indexing goes on
  after a search that began it; \`cancel_indexing\` stops it.
- Log notifications when search results were cut, or a reply fills more than 70 % of its limit, for clients that take them.

A path that a model sends is read only below the working directory, the folders of the setting \`files.allow\`, and the
roots of the client, which are asked for when a path lies outside of the others. Only regular files are read.

Standard output carries the protocol only: whatever else is printed goes to standard error, with the server's log. A
config file that cannot be read leaves a working server with defaults; \`health://status\`, the log and the first reply say
so. The server leaves when its input ends (calls that are under way get ten seconds for their answers) and at once on
SIGTERM; its parsers leave with it.

## Clients

A client that gets more than it takes cuts the result, moves it to a file or refuses it. Replies are fitted to the client
that the request or the handshake names, each form as a whole and in the client's own unit, with a twentieth left for what
the client writes around it. \`spillway mcp --client NAME\` decides otherwise. Others get what was asked for.
`;
