/** Loads the provider of a target from the AI SDK; only the one that is needed. */
import type { LanguageModel } from "ai";
import type { ApiFormat, ModelTarget } from "./providers.ts";

type Fetch = typeof globalThis.fetch;

/** The model of a target, asked through the given `fetch`. */
export async function loadModel(target: ModelTarget, fetch: Fetch): Promise<LanguageModel> {
  return loaders[target.apiFormat](target, fetch);
}

type Loader = (target: ModelTarget, fetch: Fetch) => Promise<LanguageModel>;

const loaders: Readonly<Record<ApiFormat, Loader>> = {
  openai: async (target, fetch) =>
    (await import("@ai-sdk/openai")).createOpenAI(connectionOptions(target, fetch))(target.model),
  anthropic: async (target, fetch) =>
    (await import("@ai-sdk/anthropic")).createAnthropic(connectionOptions(target, fetch))(target.model),
  google: async (target, fetch) =>
    (await import("@ai-sdk/google")).createGoogleGenerativeAI(connectionOptions(target, fetch))(target.model),
  compatible: async (target, fetch) => {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const { provider: name, baseUrl: baseURL = "" } = target;
    return createOpenAICompatible({ ...connectionOptions(target, fetch), name, baseURL, includeUsage: true })(
      target.model,
    );
  },
};

function connectionOptions({ baseUrl, key }: ModelTarget, fetch: Fetch) {
  return {
    fetch,
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    ...(key === undefined ? {} : { apiKey: key }),
  };
}

/** Nothing of a conversation is left with the provider: what is sent is what the transcript holds. */
export const providerOptions = { openai: { store: false } };
