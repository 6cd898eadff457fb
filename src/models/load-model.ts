/** Loads the AI SDK provider of a target, and only that one. */
import type { LanguageModel } from "ai";
import type { ApiFormat, ModelTarget } from "./providers.ts";

type Fetch = typeof globalThis.fetch;

/** Loads the model of a target. It sends its requests with the given `fetch`. */
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

/** The provider stores nothing of a conversation; each request holds the whole transcript. */
export const providerOptions = { openai: { store: false } };
