/** How each client is told to use the proxy: by environment variables, arguments or a temporary config. */
import { clineLauncher } from "./cline.ts";
import { continueLauncher } from "./continue.ts";
import { geminiLauncher } from "./gemini.ts";
import { parseJsonObject } from "./json-config.ts";
import type { Launcher, ProxyUrls } from "./launcher.ts";
import { piLauncher } from "./pi.ts";

/** In the order of the help. */
export const launchers: readonly Launcher[] = [
  {
    name: "claude",
    title: "Claude Code",
    source: "code.claude.com/docs: ANTHROPIC_BASE_URL",
    prepare: async ({ anthropic }) => ({ env: { ANTHROPIC_BASE_URL: anthropic }, args: [] }),
  },
  {
    name: "codex",
    title: "Codex",
    source: "openai/codex docs/config.md: model_providers, and that the built-in provider cannot be changed",
    prepare: async (urls, { env }) => ({ env: {}, args: codexArguments(urls, env.OPENAI_API_KEY !== undefined) }),
  },
  {
    name: "opencode",
    title: "opencode",
    source: "opencode.ai/docs/config: OPENCODE_CONFIG_CONTENT is merged last",
    prepare: async (urls, { env }) => ({
      env: { OPENCODE_CONFIG_CONTENT: opencodeConfig(urls, env.OPENCODE_CONFIG_CONTENT) },
      args: [],
    }),
  },
  geminiLauncher,
  {
    name: "qwen",
    title: "Qwen Code",
    source: "QwenLM/qwen-code docs: OPENAI_BASE_URL",
    prepare: async ({ openai }) => ({ env: { OPENAI_BASE_URL: openai }, args: [] }),
  },
  piLauncher,
  clineLauncher,
  continueLauncher,
  {
    name: "aider",
    title: "aider",
    source: "aider.chat/docs/llms, BerriAI/litellm: OPENAI_API_BASE, ANTHROPIC_API_BASE, GEMINI_API_BASE",
    prepare: async ({ openai, anthropic, gemini }) => ({
      env: { OPENAI_API_BASE: openai, ANTHROPIC_API_BASE: anthropic, GEMINI_API_BASE: gemini },
      args: [],
    }),
  },
  {
    name: "goose",
    title: "goose",
    source: "block/goose docs/providers: OPENAI_HOST, ANTHROPIC_HOST, GOOGLE_HOST; paths are joined to them",
    prepare: async ({ openai, anthropic, gemini }) => ({
      env: {
        OPENAI_HOST: `${openai.replace(/\/v1$/, "")}/`,
        ANTHROPIC_HOST: `${anthropic}/`,
        GOOGLE_HOST: `${gemini}/`,
      },
      args: [],
    }),
  },
];

/**
 * A login with ChatGPT uses another address than an API key. WebSockets would bypass recovery, and a login shell sets another
 * PATH, in which the command of a stub may not be found.
 */
function codexArguments({ openai, chatgpt }: ProxyUrls, hasKey: boolean): string[] {
  const [address, credentials] = hasKey ? [openai, 'env_key="OPENAI_API_KEY"'] : [chatgpt, "requires_openai_auth=true"];
  const provider = `{name="OpenAI",base_url="${address}",wire_api="responses",supports_websockets=false,${credentials}}`;
  return [
    "-c",
    `model_providers.spillway=${provider}`,
    "-c",
    'model_provider="spillway"',
    "-c",
    "allow_login_shell=false",
  ];
}

/** Settings that the user passes in the same variable stay, but for the addresses. */
function opencodeConfig({ openai, anthropic, gemini }: ProxyUrls, given: string | undefined): string {
  const config: OpencodeConfig = parseJsonObject(given);
  const addresses = { openai, anthropic: `${anthropic}/v1`, google: `${gemini}/v1beta` };
  const providers = Object.entries(addresses).map(([name, baseURL]) => {
    const provider = config.provider?.[name] ?? {};
    return [name, { ...provider, options: { ...provider.options, baseURL } }];
  });
  return JSON.stringify({ ...config, provider: { ...config.provider, ...Object.fromEntries(providers) } });
}

type OpencodeConfig = { readonly provider?: Record<string, { readonly options?: object }> };
