/** All simulators. Tests and benchmarks loop over these lists, so a new dialect is tested everywhere once it is listed. */
import { aiSdkSimulator } from "./ai-sdk.simulator.ts";
import { anthropicMessagesSimulator } from "./anthropic-messages.simulator.ts";
import { geminiSimulator } from "./gemini.simulator.ts";
import { openaiChatSimulator } from "./openai-chat.simulator.ts";
import { openaiResponsesSimulator } from "./openai-responses.simulator.ts";
import type { HttpSimulator, Simulator } from "./simulator.ts";

/** One for each dialect in `dialects.ts`. */
export const httpSimulators: readonly HttpSimulator[] = [
  openaiChatSimulator,
  openaiResponsesSimulator,
  anthropicMessagesSimulator,
  geminiSimulator,
];

/** These and the AI SDK, which is called and not posted to. */
export const simulators: readonly Simulator[] = [...httpSimulators, aiSdkSimulator];

/** The simulator of the dialect with this name. */
export function findSimulator(name: string): Simulator {
  return findNamed(simulators, name);
}

/** The same among those that are posted to. */
export function findHttpSimulator(name: string): HttpSimulator {
  return findNamed(httpSimulators, name);
}

function findNamed<S extends Simulator>(list: readonly S[], name: string): S {
  const simulator = list.find(({ dialect }) => dialect.name === name);
  if (simulator === undefined) throw new Error(`There is no simulator for the dialect ${name}.`);
  return simulator;
}
