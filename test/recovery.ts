/** Recovery as tests drive it: on a store in memory, with its events recorded, against the simulated provider. */
import { defaultSettings, type Settings } from "../src/config/settings.ts";
import type { Conversation } from "../src/overflow/dialects/simulator.ts";
import { findHttpSimulator } from "../src/overflow/dialects/simulators.ts";
import { withOverflowRecovery } from "../src/overflow/overflow-fetch.ts";
import { openSession } from "../src/session/session.ts";
import type { Event } from "../src/telemetry/events.ts";
import { type ProviderOptions, simulateProvider } from "./provider.ts";

/** A session that records its events. */
export async function openWatchedSession(settings: Partial<Settings> = {}) {
  const session = await openSession({ inMemory: true, settings: { ...defaultSettings, ...settings } });
  const events: Event[] = [];
  return { ...session, emit: (event: Event) => void events.push(event), events };
}

/** A provider behind the fetch wrapper. */
export async function openRecoveringProvider(options: ProviderOptions, settings: Partial<Settings> = {}) {
  const session = await openWatchedSession(settings);
  const provider = simulateProvider(options);
  const fetch = withOverflowRecovery(provider.fetch, { session });

  async function send(address: string, json: string) {
    const response = await fetch(address, { method: "POST", body: json });
    return { json, response, sent: provider.exchanges.map((exchange) => exchange.json), events: session.events };
  }

  return {
    session,
    provider,
    fetch,
    /** Posts a conversation and gives back the response and everything that was sent. */
    post(dialectName: string, conversation: Conversation, more: object = {}) {
      const { address, writeRequest } = findHttpSimulator(dialectName);
      return send(address, JSON.stringify({ ...writeRequest(conversation), ...more }));
    },
    /** The same for an answer that is streamed. */
    postStream(dialectName: string, conversation: Conversation) {
      const { stream, writeRequest } = findHttpSimulator(dialectName);
      return send(stream.address, JSON.stringify({ ...writeRequest(conversation), ...stream.fields }));
    },
  };
}
