/** How each real client is asked to run a command whose output is larger than the provider's window. */
import type { RefusalWording } from "../../src/overflow/dialects/simulator.ts";
import { wordings } from "../provider.ts";
import { type ClientRun, clientRuns, writeHome } from "./client-runs.ts";

export type RecoveryRun = Pick<ClientRun, "name" | "program" | "package" | "prepare" | "env" | "args"> & {
  /** Its tool for commands, and how a command is passed to it. */
  readonly shell: string;
  readonly input: (command: string) => Readonly<Record<string, string>>;
  readonly wording: RefusalWording;
  /** What its first request needs, and room for less than the command prints. */
  readonly windowTokens: number;
};

const prompt = "List numbers.";
const commandInput = (command: string) => ({ command });

function find(name: string): ClientRun {
  const run = clientRuns.find((each) => each.name === name);
  if (run === undefined) throw new Error(name);
  return run;
}

const emptyPlace = { packages: "", home: "", modelUrl: "", server: "" };

export const recoveryRuns: readonly RecoveryRun[] = [
  {
    ...find("Claude Code"),
    args: () => ["-p", prompt, "--model", "claude-sonnet-4-5", "--allowedTools", "Bash"],
    shell: "Bash",
    input: (command) => ({ command, description: "numbers" }),
    wording: wordings.anthropic,
    windowTokens: 80_000,
  },
  {
    ...find("Gemini CLI"),
    program: ".bin/gemini",
    args: () => ["--yolo", "--skip-trust", "-m", "gemini-2.5-flash", "-p", prompt],
    shell: "run_shell_command",
    input: commandInput,
    wording: wordings.gemini,
    windowTokens: 40_000,
  },
  {
    ...find("Qwen Code"),
    program: ".bin/qwen",
    args: () => ["--auth-type", "openai", "--yolo", "--prompt", prompt],
    shell: "run_shell_command",
    input: (command) => ({ command, description: "numbers" }),
    wording: wordings.openai,
    windowTokens: 80_000,
  },
  {
    ...find("opencode"),
    prepare: (place) =>
      writeHome(place, ".config/opencode/opencode.json", {
        provider: {
          anthropic: {
            options: { baseURL: `${place.modelUrl}/v1`, apiKey: "k" },
            models: { "sim-1": { name: "sim-1", limit: { context: 200_000, output: 8_000 } } },
          },
        },
      }),
    env: ({ modelUrl }) => ({
      ...find("opencode").env(emptyPlace),
      ANTHROPIC_API_KEY: "k",
      ANTHROPIC_BASE_URL: modelUrl,
    }),
    args: () => ["run", "--model", "anthropic/sim-1", prompt],
    shell: "bash",
    input: (command) => ({ command, description: "numbers" }),
    wording: wordings.anthropic,
    windowTokens: 50_000,
  },
  {
    ...find("pi with its MCP adapter"),
    name: "pi",
    program: ".bin/pi",
    // It reads addresses from this file only; spillway with takes the provider's address from the variable.
    prepare: (place) =>
      writeHome(place, ".pi/agent/models.json", { providers: { anthropic: { baseUrl: place.modelUrl } } }),
    env: ({ modelUrl }) => ({ ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: modelUrl, PI_OFFLINE: "1" }),
    args: () => ["--provider", "anthropic", "--model", "claude-sonnet-4-5", "-p", prompt],
    shell: "bash",
    input: commandInput,
    wording: wordings.anthropic,
    windowTokens: 100_000,
  },
  {
    ...find("Codex with another model"),
    name: "Codex",
    program: ".bin/codex",
    // spillway with takes the provider's address from the variable, where there is a key.
    env: ({ modelUrl }) => ({ SIM_KEY: "k", OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${modelUrl}/v1` }),
    args: () => ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", prompt],
    shell: "exec_command",
    input: (command) => ({ cmd: command }),
    wording: wordings.responses,
    windowTokens: 25_000,
  },
];
