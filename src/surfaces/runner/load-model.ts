/** Loads the provider of a target from the AI SDK; only the one that is needed. */
import type { LanguageModel } from "ai";
import type { Speech, Target } from "./providers.ts";

type Fetch = typeof globalThis.fetch;

/** The model of a target, asked through the given `fetch`. */
export async function loadModel(target: Target, fetch: Fetch): Promise<LanguageModel> {
  return loaders[target.speech](target, fetch);
}

type Loader = (target: Target, fetch: Fetch) => Promise<LanguageModel>;

const loaders: Readonly<Record<Speech, Loader>> = {
  openai: async (target, fetch) => (await import("@ai-sdk/openai")).createOpenAI(common(target, fetch))(target.model),
  anthropic: async (target, fetch) =>
    (await import("@ai-sdk/anthropic")).createAnthropic(common(target, fetch))(target.model),
  google: async (target, fetch) =>
    (await import("@ai-sdk/google")).createGoogleGenerativeAI(common(target, fetch))(target.model),
  compatible: async (target, fetch) => {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const { provider: name, baseUrl: baseURL = "" } = target;
    return createOpenAICompatible({ ...common(target, fetch), name, baseURL, includeUsage: true })(target.model);
  },
};

function common({ baseUrl, key }: Target, fetch: Fetch) {
  return {
    fetch,
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    ...(key === undefined ? {} : { apiKey: key }),
  };
}

/** Nothing of a conversation is left with the provider: what is sent is what the transcript holds. */
export const providerOptions = { openai: { store: false } };
