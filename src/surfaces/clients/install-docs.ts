/** Writes docs/install.md: how the server is added to clients, and where each of them keeps its config. */
import type { Client, ClientMachine } from "./client.ts";
import { clients } from "./clients.ts";

/** The page as Markdown: the introduction and the table of clients. */
export function renderInstallMarkdown(): string {
  return `${introduction}\n| client | name | config of the user | of a project | key | source |\n|---|---|---|---|---|---|\n${clients.map(writeRow).join("\n")}\n`;
}

const machines: readonly Pick<ClientMachine, "platform" | "home" | "env">[] = [
  { platform: "linux", home: "~", env: {} },
  { platform: "darwin", home: "~", env: {} },
  { platform: "win32", home: "~", env: { APPDATA: "%APPDATA%" } },
];
const platformNames = ["Linux", "macOS", "Windows"];

function writeRow(client: Client): string {
  const { title, id, projectFiles, shape, source } = client;
  const project = projectFiles.length === 0 ? "none" : code(projectFiles[0] ?? "");
  return `| ${[title, code(id), writeUserFiles(client), project, code(shape.container({}).join(".")), source].join(" | ")} |`;
}

/** One path where all platforms have the same, else one for each. */
function writeUserFiles({ userFiles }: Client): string {
  const paths = machines.map((machine) => userFiles({ ...machine, cwd: "." })[0] ?? "");
  const groups = Map.groupBy(paths.keys(), (index) => paths[index] ?? "");
  if (groups.size === 1) return code(paths[0] ?? "");
  return [...groups]
    .map(([path, indexes]) => `${indexes.map((index) => platformNames[index]).join(", ")}: ${code(path)}`)
    .join("; ");
}

const code = (text: string): string => `\`${text}\``;

const introduction = `# Adding Spillway to clients

\`\`\`sh
spillway install              # every client that is found on this machine
spillway install codex cursor # these
spillway uninstall            # takes it out again
\`\`\`

\`\`\`console run
$ spillway install codex
Codex: add an entry to ~/.codex/config.toml
--- /dev/null
+++ ~/.codex/config.toml
@@ -0,0 +1,3 @@
+[mcp_servers.spillway]
+command = "..."
+args = [..."mcp"]
Nothing was written. Run the command again with --yes to write it.
\`\`\`

A client is found by its folder or by its program on the \`PATH\`. The change of each config is shown as a diff; you are asked
once, and then all are written. Without a terminal it is only shown, and the exit status is 3. \`--yes\` writes without asking,
\`--json\` prints one object for each client.

- \`--scope project\` changes the config of the project in the current folder, for everyone who works on it. The entry then
  starts \`spillway\` by its name, so everyone needs it on the \`PATH\` ([how to get it](../README.md#start)). For a user the name is
  written where \`spillway\` is on the \`PATH\`; clients that are started from a desktop do not know that \`PATH\` and get the
  paths of Node and of the script.
- \`--name NAME\` gives the server another name. An entry with the name that does not start Spillway is never replaced.
- An entry of an older installation gets the new command and keeps its other fields, such as \`env\`.

## What happens to the file

- Only the entry is added, changed or removed. Comments, key order, indentation, line ends, trailing commas and a byte order
  mark stay. The file is parsed before and after: if any other value would differ, nothing is written.
- The new file takes the place of the old one in one step, with its mode and owner. A link stays, and the file behind it is
  changed; in a project, a link that leads out of it is refused.
- The old bytes are kept in \`clients/\` of Spillway's [data folder](settings.md). \`uninstall\` puts them back if the file has not
  changed since; otherwise it removes the entry, and the map around it if that was made for it.
- A malformed file is reported with line and column, and not changed. So is a file that changed while you were asked.
- Claude Code writes \`~/.claude.json\` while it runs, so there its own \`claude mcp add\` and \`claude mcp remove\` are used, if
  \`claude\` is on the \`PATH\`. Otherwise, and for Claude Desktop, quit the program first: it would take the change back.

## Checking it

\`\`\`sh
spillway doctor --client codex
\`\`\`

starts what the client's config says, with the few variables that clients pass on, and introduces itself by the client's name.
It lists the tools, fetches a sample that is longer than any limit, and reads on where the reply was cut. It says which limit
holds and how large the reply was. The exit status is 1 if something does not work.

## Clients

opencode since version 2 has its servers below \`mcp.servers\`; a config that has them there is recognised. Variables that move a
config are respected: \`CLAUDE_CONFIG_DIR\`, \`CODEX_HOME\`, \`COPILOT_HOME\`, \`PI_CODING_AGENT_DIR\`, \`CLINE_DATA_DIR\`,
\`CLINE_MCP_SETTINGS_PATH\`, \`CONTINUE_GLOBAL_DIR\` and \`XDG_CONFIG_HOME\`. Cline's extension of VS Code is used where its command line is not.
Cline's command line drops a server that takes more than a few seconds to start, unless its entry has a \`timeout\`; ours has one.
`;
