/** Recovery as tests drive it: on a store in memory, with its events caught, against the simulated provider. */
import { defaultSettings, type Settings } from "../src/config/settings.ts";
import type { Dialect } from "../src/overflow/dialects/dialect.ts";
import { withOverflowRecovery } from "../src/overflow/wire/overflow-fetch.ts";
import { openSession } from "../src/session/session.ts";
import type { Event } from "../src/telemetry/events.ts";
import { type Conversation, requestIn } from "./conversations.ts";
import { type ProviderOptions, simulateProvider } from "./provider.ts";

export type HttpDialect = Exclude<Dialect["name"], "ai-sdk">;

export const addresses: Readonly<Record<HttpDialect, string>> = {
  "openai-chat": "https://api.sim/v1/chat/completions",
  "openai-responses": "https://api.sim/v1/responses",
  "anthropic-messages": "https://api.sim/v1/messages",
  gemini: "https://api.sim/v1beta/models/sim-1:generateContent",
};

export const httpDialects = Object.keys(addresses) as readonly HttpDialect[];

/** A session whose events are seen. */
export async function watchedSession(settings: Partial<Settings> = {}) {
  const session = await openSession({ inMemory: true, settings: { ...defaultSettings, ...settings } });
  const events: Event[] = [];
  return { ...session, emit: (event: Event) => void events.push(event), events };
}

/** A provider behind the fetch wrapper. */
export async function recoveringProvider(options: ProviderOptions, settings: Partial<Settings> = {}) {
  const session = await watchedSession(settings);
  const provider = simulateProvider(options);
  const fetch = withOverflowRecovery(provider.fetch, { session });
  return {
    session,
    provider,
    fetch,
    /** Posts a conversation and gives back the answer and all that was sent. */
    async post(dialect: HttpDialect, conversation: Conversation, more: object = {}) {
      const json = JSON.stringify({ ...requestIn(dialect, conversation), ...more });
      const response = await fetch(addresses[dialect], { method: "POST", body: json });
      return { json, response, sent: provider.seen.map((exchange) => exchange.json), events: session.events };
    },
  };
}
