/** Real clients from the npm registry: how each is started, and what it needs to use a model on loopback. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Where a run happens. */
export type RunPlace = {
  /** The folder that npm installed the clients into. */
  readonly packages: string;
  readonly home: string;
  readonly modelUrl: string;
  /** The MCP server that the model uses. */
  readonly server: string;
};

export type ClientRun = {
  /** Its name in reports. */
  readonly name: string;
  /** Its name for `spillway install`. */
  readonly id: string;
  readonly package: string;
  /** The program, below node_modules. Native packages are named, because no install script runs. */
  readonly program: string;
  /** Whether the program is JavaScript, which is run by this Node. */
  readonly isScript?: true;
  /** Further packages that it needs. */
  readonly extensions?: readonly string[];
  /** Also run with a server of others behind the gateway. */
  readonly isWrapped?: true;
  prepare?(place: RunPlace): Promise<void>;
  env(place: RunPlace): Record<string, string>;
  args(place: RunPlace): string[];
};

const prompt = "Read what you are asked for.";
const platform = `${process.platform}-${process.arch}`;

/** Writes a file of the client's home; an object as JSON. */
export async function writeHome({ home }: RunPlace, path: string, content: string | object): Promise<void> {
  const file = join(home, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
}

export const clientRuns: readonly ClientRun[] = [
  {
    name: "Claude Code",
    id: "claude-code",
    package: "@anthropic-ai/claude-code@2.1.325",
    program: `@anthropic-ai/claude-code-${platform}/claude`,
    env: ({ modelUrl }) => ({
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: "k",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    }),
    isWrapped: true,
    args: ({ server }) => [
      "-p",
      prompt,
      "--model",
      "claude-sonnet-4-5",
      "--allowedTools",
      `mcp__${server}`,
      "ToolSearch",
    ],
  },
  codexRun("Codex with a model that it knows", "gpt-5.5"),
  { ...codexRun("Codex with another model", "sim-1"), isWrapped: true },
  {
    name: "opencode",
    id: "opencode",
    package: "opencode-ai@1.18.33",
    program: `opencode-${platform}/bin/opencode`,
    prepare: (place) =>
      writeHome(place, ".config/opencode/opencode.json", {
        provider: {
          sim: {
            npm: "@ai-sdk/openai-compatible",
            name: "sim",
            options: { baseURL: `${place.modelUrl}/v1`, apiKey: "k" },
            models: { "sim-1": { name: "sim-1", limit: { context: 200_000, output: 8_000 } } },
          },
        },
      }),
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" }),
    isWrapped: true,
    args: () => ["run", "--model", "sim/sim-1", prompt],
  },
  {
    name: "Gemini CLI",
    id: "gemini",
    package: "@google/gemini-cli@0.61.0",
    program: "@google/gemini-cli/bundle/gemini.js",
    isScript: true,
    prepare: (place) =>
      writeHome(place, ".gemini/settings.json", {
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
        general: { disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false },
      }),
    env: ({ modelUrl }) => ({
      GEMINI_API_KEY: "k",
      GOOGLE_GEMINI_BASE_URL: modelUrl,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      GEMINI_CLI_NO_RELAUNCH: "true",
    }),
    args: () => ["--model", "gemini-2.5-pro", "--yolo", "--prompt", prompt],
  },
  {
    name: "Qwen Code",
    id: "qwen",
    package: "@qwen-code/qwen-code@0.24.4",
    program: "@qwen-code/qwen-code/cli.js",
    isScript: true,
    prepare: (place) =>
      writeHome(place, ".qwen/settings.json", {
        security: { auth: { selectedType: "openai" } },
        general: { disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false },
      }),
    env: ({ modelUrl }) => ({ OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${modelUrl}/v1`, OPENAI_MODEL: "sim-1" }),
    args: () => ["--auth-type", "openai", "--yolo", "--prompt", prompt],
  },
  {
    name: "Cline",
    id: "cline",
    package: "cline@3.0.65",
    program: `@cline/cli-${platform}/bin/cline`,
    prepare: (place) =>
      writeHome(place, ".cline/data/settings/providers.json", {
        version: 1,
        lastUsedProvider: "openai-compatible",
        modes: {},
        providers: {
          "openai-compatible": {
            settings: {
              provider: "openai-compatible",
              apiKey: "k",
              model: "sim-1",
              baseUrl: `${place.modelUrl}/v1`,
            },
            updatedAt: "2026-01-01T00:00:00.000Z",
            tokenSource: "manual",
          },
        },
      }),
    env: () => ({}),
    args: () => ["--provider", "openai-compatible", "--model", "sim-1", "--json", prompt],
  },
  {
    name: "Continue",
    id: "continue",
    package: "@continuedev/cli@1.5.47",
    program: "@continuedev/cli/dist/cn.js",
    isScript: true,
    prepare: (place) =>
      writeHome(
        place,
        ".continue/config.yaml",
        `name: Local\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: sim\n    provider: openai\n    model: sim-1\n    apiBase: ${place.modelUrl}/v1\n    apiKey: k\n    capabilities: [tool_use]\n    roles: [chat]\n`,
      ),
    env: () => ({ CONTINUE_ALLOW_ANONYMOUS_TELEMETRY: "0" }),
    args: ({ home }) => ["--config", join(home, ".continue", "config.yaml"), "--auto", "-p", prompt],
  },
  {
    name: "pi with its MCP adapter",
    id: "pi",
    package: "@earendil-works/pi-coding-agent@0.74.2",
    program: "@earendil-works/pi-coding-agent/dist/cli.js",
    isScript: true,
    extensions: ["pi-mcp-adapter@2.36.0"],
    prepare: (place) =>
      writeHome(place, ".pi/agent/models.json", {
        providers: {
          sim: {
            baseUrl: `${place.modelUrl}/v1`,
            api: "openai-completions",
            apiKey: "k",
            models: [{ id: "sim-1" }],
          },
        },
      }),
    env: () => ({ PI_OFFLINE: "1" }),
    args: ({ packages }) => [
      "--extension",
      join(packages, "node_modules", "pi-mcp-adapter", "index.ts"),
      "--provider",
      "sim",
      "--model",
      "sim-1",
      "-p",
      prompt,
    ],
  },
];

/** Codex lists our tools only for models outside its catalogue; for others the model searches for them. */
function codexRun(name: string, model: string): ClientRun {
  return {
    name,
    id: "codex",
    package: "@openai/codex@0.166.0",
    program: "@openai/codex/bin/codex.js",
    isScript: true,
    prepare: (place) =>
      writeHome(
        place,
        ".codex/config.toml",
        `model = "${model}"\nmodel_provider = "sim"\n\n[model_providers.sim]\nname = "sim"\nbase_url = "${place.modelUrl}/v1"\nenv_key = "SIM_KEY"\nwire_api = "responses"\n`,
      ),
    env: () => ({ SIM_KEY: "k" }),
    args: ({ server }) => [
      "exec",
      // Otherwise Codex asks the model before the server has listed its tools.
      "-c",
      `mcp_servers.${server}.required=true`,
      "--skip-git-repo-check",
      "--dangerously-bypass-approvals-and-sandbox",
      prompt,
    ],
  };
}
