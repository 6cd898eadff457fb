/** Writes an answer to a question from passages of a source, with the model that the user has configured. */
import { streamText } from "ai";
import { openServiceFetch } from "../acquire/http/transport/service-fetch.ts";
import { answerInstructions, writeQuestion } from "../answer/question-texts.ts";
import { SpillwayError } from "../errors.ts";
import { cleanText } from "../extract/clean.ts";
import { cutBetweenCodePoints } from "../fit/measure.ts";
import type { Session } from "../session/session.ts";
import { loadModel, providerOptions } from "./load-model.ts";
import { toProviderError, toProviderFailure } from "./provider-errors.ts";
import { findTarget, type ModelTarget } from "./providers.ts";

// Otherwise the SDK prints warnings about unknown models to standard error, between our lines.
globalThis.AI_SDK_LOG_WARNINGS = false;

export type Question = { readonly question: string; readonly source: string; readonly passages: string };

export type WrittenAnswer = { readonly text: string; readonly model: string };

type AnswerSession = Pick<Session, "settings" | "env" | "signal" | "emit" | "trace" | "now">;

/** An answer is a paragraph or two; a longer one is cut. What a model thinks before it counts too. */
const MAX_ANSWER_TOKENS = 4_000;
const MAX_ANSWER_CHARS = 3_000;

/** Asks the model once. Throws an error that says why there is no answer; the passages are not affected. */
export async function writeAnswer(question: Question, model: string, session: AnswerSession): Promise<WrittenAnswer> {
  const { settings, env, signal, emit, now } = session;
  const begun = now();
  const usage = { tokens_in: 0, tokens_out: 0 };
  try {
    const target = findTarget(model, settings, env);
    const text = await askTraced(question, target, session, usage);
    emit({ event: "web.answered", model, ...usage, duration_ms: now() - begun, error: null });
    return { text, model };
  } catch (error) {
    signal.throwIfAborted();
    const code = error instanceof SpillwayError ? error.code : "internal";
    emit({ event: "web.answered", model, ...usage, duration_ms: now() - begun, error: code });
    throw error;
  }
}

type TokenCounts = { tokens_in: number; tokens_out: number };

function askTraced(question: Question, target: ModelTarget, session: AnswerSession, usage: TokenCounts) {
  const { provider, model } = target;
  const attributes = {
    ...{ "gen_ai.operation.name": "chat", "gen_ai.provider.name": provider, "gen_ai.request.model": model },
    "gen_ai.request.max_tokens": MAX_ANSWER_TOKENS,
  };
  return session.trace(
    () => ({ name: `chat ${model}`, kind: "client", attributes }),
    async (span) => {
      const text = await askOnce(question, target, session, usage);
      span.set({ "gen_ai.usage.input_tokens": usage.tokens_in, "gen_ai.usage.output_tokens": usage.tokens_out });
      return text;
    },
  );
}

async function askOnce(
  question: Question,
  target: ModelTarget,
  { settings, env, signal }: AnswerSession,
  usage: TokenCounts,
): Promise<string> {
  await using service = openServiceFetch({ settings, env });
  const deadline = AbortSignal.timeout(settings["web.answer_time"]);
  try {
    const response = streamText({
      model: await loadModel(target, service.fetch),
      instructions: answerInstructions,
      messages: [{ role: "user", content: writeQuestion(question) }],
      maxOutputTokens: MAX_ANSWER_TOKENS,
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, deadline]),
      providerOptions,
      onError: () => undefined, // Errors also arrive as parts of the stream, and are thrown below.
    });
    let text = "";
    for await (const part of response.stream) {
      if (part.type === "error") throw part.error;
      if (part.type === "text-delta" && text.length < MAX_ANSWER_CHARS) text += part.text;
      if (part.type === "finish-step") {
        usage.tokens_in = part.usage.inputTokens ?? 0;
        usage.tokens_out = part.usage.outputTokens ?? 0;
      }
    }
    if (deadline.aborted) throw makeSlowError(target);
    return requireText(clean(text), target);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SpillwayError) throw error;
    if (deadline.aborted) throw makeSlowError(target);
    throw toProviderError(toProviderFailure(error), { target, hasStarted: false, isRecoveryOn: false }, error);
  }
}

function clean(text: string): string {
  const cleaned = cleanText(text).text.trim();
  return cleaned.length <= MAX_ANSWER_CHARS ? cleaned : `${cutBetweenCodePoints(cleaned, MAX_ANSWER_CHARS)}...`;
}

function requireText(text: string, { provider }: ModelTarget): string {
  if (text !== "") return text;
  throw new SpillwayError("provider_refused", `${provider} sent an empty answer.`, { hint: "Read the passages." });
}

function makeSlowError({ provider }: ModelTarget): SpillwayError {
  return new SpillwayError("network_timeout", `${provider} did not answer within web.answer_time.`, {
    hint: "Raise web.answer_time, or choose a faster model in web.answer_model.",
  });
}
