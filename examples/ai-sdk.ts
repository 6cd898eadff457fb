/**
 * A loop of one's own on the Vercel AI SDK, with Spillway's tools and overflow recovery. Run it with a key and a task:
 *
 *   OPENAI_API_KEY=... node examples/ai-sdk.ts "What does handbook.md say about power failures?"
 *
 * As a user of the package you would import from "spillway" and "spillway/ai-sdk".
 */
import { createOpenAI } from "@ai-sdk/openai";
import { type LanguageModel, stepCountIs, streamText, wrapLanguageModel } from "ai";
import { openSession } from "../src/index.ts";
import { overflowMiddleware, tools } from "../src/surfaces/ai-sdk/ai-sdk.ts";

type ProviderModel = Exclude<LanguageModel, string>;

/** Works on a task and writes the answer as it is streamed. */
export async function work(task: string, model: ProviderModel, write: (text: string) => void): Promise<void> {
  // The model chooses paths: only files below this folder are read.
  await using session = await openSession({ confined: true, cwd: `${import.meta.dirname}/samples` });
  let failure: unknown;
  const answer = streamText({
    // A prompt that the provider refuses for its size is made smaller and sent once more.
    model: wrapLanguageModel({ model, middleware: overflowMiddleware({ session }) }),
    // Everything they return fits, and the complete source stays one read_artifact away.
    tools: tools({ session, turnChars: 40_000 }),
    prompt: task,
    stopWhen: stepCountIs(20),
    // A text stream just ends when something goes wrong; the reason is reported here.
    onError: ({ error }) => {
      failure ??= error;
    },
  });
  for await (const text of answer.textStream) write(text);
  if (failure !== undefined) throw failure;
}

if (import.meta.main) {
  const [task = "What does handbook.md say about power failures?"] = process.argv.slice(2);
  const openai = createOpenAI();
  try {
    await work(task, openai("gpt-5-mini"), (text) => process.stdout.write(text));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
