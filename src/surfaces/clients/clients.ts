/** The clients that `spillway install` knows, one row each. */
import { join } from "node:path";
import type { Client, ClientMachine } from "./client.ts";
import {
  claudeShape,
  clineShape,
  codexShape,
  geminiShape,
  gooseShape,
  listShape,
  mapShape,
  opencodeShape,
  typedShape,
  windsurfShape,
  withUrls,
} from "./entry-shapes.ts";

const servers = mapShape("mcpServers");

/** The revision that most clients speak. */
const revision = "2025-06-18";

/** The folder that a variable names; an empty variable names none. */
const folderIn = (value: string | undefined): string | undefined => (value?.trim() ? value : undefined);

export const clients: readonly Client[] = [
  {
    id: "claude-code",
    title: "Claude Code",
    format: "JSON",
    shape: claudeShape,
    userFiles: ({ env, home }) => [join(folderIn(env.CLAUDE_CONFIG_DIR) ?? home, ".claude.json")],
    projectFiles: [".mcp.json"],
    signs: ({ env, home }) => [folderIn(env.CLAUDE_CONFIG_DIR) ?? join(home, ".claude")],
    programs: ["claude"],
    rewritesConfig: true,
    // It takes the lock that running sessions respect.
    ownCommand: {
      add: (name, { command, args }) => ["claude", "mcp", "add", "--scope", "user", name, "--", command, ...args],
      remove: (name) => ["claude", "mcp", "remove", "--scope", "user", name],
    },
    introducesAs: "claude-code",
    revision,
    source: "code.claude.com/docs/en/mcp",
  },
  {
    id: "claude-desktop",
    title: "Claude Desktop",
    format: "JSON",
    shape: servers,
    userFiles: (machine) => [join(appFolder(machine), "Claude", "claude_desktop_config.json")],
    projectFiles: [],
    signs: (machine) => [join(appFolder(machine), "Claude")],
    programs: [],
    isDesktop: true,
    rewritesConfig: true,
    introducesAs: "claude-ai",
    revision,
    source: "modelcontextprotocol.io/docs/develop/connect-local-servers",
  },
  {
    id: "codex",
    title: "Codex",
    format: "TOML",
    shape: codexShape,
    userFiles: ({ env, home }) => [join(folderIn(env.CODEX_HOME) ?? join(home, ".codex"), "config.toml")],
    projectFiles: [".codex/config.toml"],
    signs: ({ env, home }) => [folderIn(env.CODEX_HOME) ?? join(home, ".codex")],
    programs: ["codex"],
    introducesAs: "codex-mcp-client",
    revision,
    source: "developers.openai.com/codex/mcp",
  },
  {
    id: "cursor",
    title: "Cursor",
    format: "JSON",
    shape: withUrls(servers),
    userFiles: ({ home }) => [join(home, ".cursor", "mcp.json")],
    projectFiles: [".cursor/mcp.json"],
    signs: ({ home }) => [join(home, ".cursor")],
    programs: ["cursor", "cursor-agent"],
    isDesktop: true,
    introducesAs: "cursor-vscode",
    revision,
    source: "cursor.com/docs/context/mcp",
  },
  {
    id: "vscode",
    title: "VS Code",
    format: "JSON",
    shape: typedShape("servers", { type: "stdio" }, "stdio"),
    userFiles: (machine) => [join(appFolder(machine), "Code", "User", "mcp.json")],
    projectFiles: [".vscode/mcp.json"],
    signs: (machine) => [join(appFolder(machine), "Code", "User")],
    programs: ["code"],
    isDesktop: true,
    introducesAs: "Visual Studio Code",
    revision,
    source: "code.visualstudio.com/docs/copilot/reference/mcp-configuration",
  },
  {
    id: "copilot",
    title: "Copilot CLI",
    format: "JSON",
    shape: typedShape("mcpServers", { type: "local", tools: ["*"] }, "local"),
    userFiles: ({ env, home }) => [join(folderIn(env.COPILOT_HOME) ?? join(home, ".copilot"), "mcp-config.json")],
    projectFiles: [".mcp.json", ".github/mcp.json"],
    signs: ({ env, home }) => [folderIn(env.COPILOT_HOME) ?? join(home, ".copilot")],
    programs: ["copilot"],
    introducesAs: "github-copilot-developer",
    revision,
    source: "docs.github.com/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers",
  },
  {
    id: "gemini",
    title: "Gemini CLI",
    format: "JSON",
    shape: geminiShape,
    userFiles: ({ home }) => [join(home, ".gemini", "settings.json")],
    projectFiles: [".gemini/settings.json"],
    signs: ({ home }) => [join(home, ".gemini")],
    programs: ["gemini"],
    introducesAs: "gemini-cli-mcp-client",
    revision,
    source: "google-gemini/gemini-cli docs/tools/mcp-server.md",
  },
  {
    id: "qwen",
    title: "Qwen Code",
    format: "JSON",
    shape: geminiShape,
    userFiles: ({ home }) => [join(home, ".qwen", "settings.json")],
    projectFiles: [".qwen/settings.json"],
    signs: ({ home }) => [join(home, ".qwen")],
    programs: ["qwen"],
    introducesAs: "qwen-cli-mcp-client",
    revision: "2025-11-25",
    source: "QwenLM/qwen-code docs/developers/tools/mcp-server.md",
  },
  {
    id: "opencode",
    title: "opencode",
    format: "JSON",
    shape: opencodeShape,
    userFiles: (machine) =>
      ["opencode.json", "opencode.jsonc"].map((name) => join(xdgFolder(machine), "opencode", name)),
    projectFiles: ["opencode.json", "opencode.jsonc"],
    signs: (machine) => [join(xdgFolder(machine), "opencode")],
    programs: ["opencode"],
    newFile: { $schema: "https://opencode.ai/config.json" },
    introducesAs: "opencode",
    revision,
    source: "opencode.ai/docs/mcp-servers",
  },
  {
    id: "pi",
    title: "pi",
    format: "JSON",
    shape: withUrls(servers),
    userFiles: ({ env, home }) => [join(folderIn(env.PI_CODING_AGENT_DIR) ?? join(home, ".pi", "agent"), "mcp.json")],
    projectFiles: [".pi/mcp.json"],
    signs: ({ env, home }) => [folderIn(env.PI_CODING_AGENT_DIR) ?? join(home, ".pi", "agent")],
    programs: ["pi"],
    introducesAs: "pi",
    revision: "2025-11-25",
    source: "pi.dev/packages/pi-mcp-adapter; pi 1.5 docs/mcp.md",
  },
  {
    id: "zed",
    title: "Zed",
    format: "JSON",
    shape: withUrls(mapShape("context_servers", { env: {} })),
    userFiles: (machine) => [join(zedFolder(machine), "settings.json")],
    projectFiles: [".zed/settings.json"],
    signs: (machine) => [zedFolder(machine)],
    programs: ["zed", "zeditor"],
    isDesktop: true,
    introducesAs: "Zed",
    revision,
    source: "zed.dev/docs/ai/mcp",
  },
  {
    id: "goose",
    title: "Goose",
    format: "YAML",
    shape: gooseShape,
    userFiles: (machine) => [join(gooseFolder(machine), "config.yaml")],
    projectFiles: [],
    signs: (machine) => [gooseFolder(machine)],
    programs: ["goose"],
    introducesAs: "goose",
    revision,
    source: "block.github.io/goose/docs/guides/config-files",
  },
  {
    id: "cline",
    title: "Cline",
    format: "JSON",
    shape: clineShape,
    userFiles: (machine) => [
      folderIn(machine.env.CLINE_MCP_SETTINGS_PATH) ??
        join(clineFolder(machine), "settings", "cline_mcp_settings.json"),
      join(clineExtension(machine), "settings", "cline_mcp_settings.json"),
    ],
    projectFiles: [],
    signs: (machine) => [clineFolder(machine), clineExtension(machine)],
    programs: ["cline"],
    introducesAs: "@cline/core",
    revision: "2024-11-05",
    source: "docs.cline.bot/mcp/adding-and-configuring-servers",
  },
  {
    id: "continue",
    title: "Continue",
    format: "YAML",
    shape: listShape,
    userFiles: ({ env, home }) => [join(folderIn(env.CONTINUE_GLOBAL_DIR) ?? join(home, ".continue"), "config.yaml")],
    projectFiles: [".continue/mcpServers/spillway.yaml"],
    signs: ({ env, home }) => [folderIn(env.CONTINUE_GLOBAL_DIR) ?? join(home, ".continue")],
    programs: ["cn"],
    newFile: { name: "Local", version: "1.0.0", schema: "v1" },
    introducesAs: "continue-cli-client",
    revision: "2025-11-25",
    source: "docs.continue.dev/customize/deep-dives/mcp",
  },
  {
    id: "windsurf",
    title: "Windsurf",
    format: "JSON",
    shape: windsurfShape,
    userFiles: ({ home }) => [join(home, ".codeium", "windsurf", "mcp_config.json")],
    projectFiles: [],
    signs: ({ home }) => [join(home, ".codeium", "windsurf")],
    programs: ["windsurf"],
    isDesktop: true,
    introducesAs: "windsurf-client",
    revision,
    source: "docs.windsurf.com/windsurf/cascade/mcp",
  },
];

/** Where desktop programs keep their settings. */
function appFolder({ env, platform, home }: ClientMachine): string {
  if (platform === "darwin") return join(home, "Library", "Application Support");
  if (platform === "win32") return folderIn(env.APPDATA) ?? join(home, "AppData", "Roaming");
  return folderIn(env.XDG_CONFIG_HOME) ?? join(home, ".config");
}

/** Where programs that follow the XDG rules on every platform keep them. */
function xdgFolder({ env, home }: ClientMachine): string {
  return folderIn(env.XDG_CONFIG_HOME) ?? join(home, ".config");
}

/** Zed has Linux's folder on macOS too. */
function zedFolder(machine: ClientMachine): string {
  if (machine.platform === "win32") return join(appFolder(machine), "Zed");
  return join(machine.platform === "darwin" ? join(machine.home, ".config") : xdgFolder(machine), "zed");
}

function gooseFolder(machine: ClientMachine): string {
  if (machine.platform === "win32") return join(appFolder(machine), "Block", "goose", "config");
  return join(xdgFolder(machine), "goose");
}

function clineFolder({ env, home }: ClientMachine): string {
  return folderIn(env.CLINE_DATA_DIR) ?? join(home, ".cline", "data");
}

/** The extension of VS Code keeps its own settings. */
function clineExtension(machine: ClientMachine): string {
  return join(appFolder(machine), "Code", "User", "globalStorage", "saoudrizwan.claude-dev");
}
