/** Adds an answer of the user's own model to the passages that a question has found. */
import type { Answer } from "../answer/answer.ts";
import { explainNoAnswer, introduceAnswer } from "../answer/question-texts.ts";
import { SpillwayError } from "../errors.ts";
import { cutBetweenCodePoints } from "../fit/measure.ts";
import type { WrittenAnswer } from "../models/write-answer.ts";
import { ERROR_CHARS } from "../system/clip-lengths.ts";
import { clip } from "../system/safe-names.ts";
import { addNotice, type SelectedFields } from "./fetch-tool.ts";
import type { ToolSession } from "./tool.ts";

/** The same answer with a written one above its passages, or with a notice that says why there is none. */
export async function addWrittenAnswer(
  answer: Answer<SelectedFields>,
  question: string,
  session: ToolSession,
): Promise<Answer<SelectedFields>> {
  const { content: passages, source_url: source } = answer.fields;
  const model = session.settings["web.answer_model"];
  if (model === null) return addNotice(answer, explainNoAnswer("the setting web.answer_model names no model."));
  if (passages === null || passages === "") return answer;
  try {
    const { writeAnswer } = await import("../models/write-answer.ts");
    return putAbove(answer, await writeAnswer({ question, source, passages }, model, session));
  } catch (error) {
    session.signal.throwIfAborted();
    return addNotice(answer, explainNoAnswer(describe(error)));
  }
}

/** Codes of errors that the user can correct, so that the hint helps. */
const correctable: ReadonlySet<string> = new Set([
  "usage",
  "config_invalid",
  "key_missing",
  "key_invalid",
  "network_timeout",
]);

function describe(error: unknown): string {
  if (!(error instanceof SpillwayError)) return "the model failed in a way that is not known.";
  return clip(correctable.has(error.code) ? error.advice : error.message, ERROR_CHARS);
}

/** Where the room is short, the written answer is cut last. */
function putAbove(answer: Answer<SelectedFields>, written: WrittenAnswer, maxChars = Infinity): Answer<SelectedFields> {
  const intro = cutBetweenCodePoints(introduceAnswer(written.model, written.text), maxChars);
  if (intro === "") return answer;
  const overview = [intro, answer.overview ?? ""].filter((part) => part !== "").join("\n\n");
  return {
    ...answer,
    overview,
    fields: { ...answer.fields, answer: cutBetweenCodePoints(written.text, maxChars), answer_model: written.model },
    shorten: (chars, bound) =>
      putAbove(answer.shorten(Math.max(0, chars - intro.length), bound), written, Math.min(maxChars, chars)),
  };
}
