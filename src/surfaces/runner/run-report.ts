/** Counts what one call of the runner did. */
import type { AssistantModelMessage } from "ai";
import type { Event, EventFields } from "../../telemetry/events.ts";

/** How a call of the runner can end. `cut`: the answer is incomplete; `empty`: the answer has no text. */
export type RunEnding = "answered" | "cut" | "empty" | "interrupted" | "steps" | "tokens" | "time" | "failed";

/** The counts and the ending of one call. */
export type RunReport = Omit<EventFields["run.ended"], "how"> & { readonly how: RunEnding };

/** How an answer without tool calls ends a run. */
export function classifyEnding(
  message: AssistantModelMessage | undefined,
  finish: string,
): Extract<RunEnding, "answered" | "cut" | "empty"> {
  if (!["stop", "other"].includes(finish)) return "cut";
  return joinText(message?.content ?? "").trim() === "" ? "empty" : "answered";
}

function joinText(content: AssistantModelMessage["content"]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** The counters of one call. */
export type Tally = ReturnType<typeof createTally>;

/** Creates counters at zero; `add` counts an event. */
export function createTally() {
  const sums = { steps: 0, tool_calls: 0, tokens_in: 0, tokens_out: 0, requests: 0, retries: 0, recoveries: 0 };
  const sizes = { bytes_read: 0, chars_given: 0 };
  const [artifacts, stubs] = [new Set<string>(), new Set<string>()];

  function add(event: Event): void {
    if (event.event === "run.step") {
      sums.steps++;
      sums.tokens_in += event.tokens_in;
      sums.tokens_out += event.tokens_out;
    } else if (event.event === "ingest.completed") {
      if (event.artifact_ref === null || !artifacts.has(event.artifact_ref)) sizes.bytes_read += event.size_bytes;
      if (event.artifact_ref !== null) artifacts.add(event.artifact_ref);
    } else if (event.event === "overflow.recovered") {
      sums.recoveries++;
      for (const ref of event.stubs) stubs.add(ref);
    }
  }

  return {
    add,
    /** Counts a result that the model was given. */
    countResult(chars: number): void {
      sums.tool_calls++;
      sizes.chars_given += chars;
    },
    /** Counts a request, whether or not it is answered. */
    countRequest: (): void => void sums.requests++,
    /** Counts a request that is a retry because the provider was busy. */
    countRetry: (): void => void sums.retries++,
    totalTokens: (): number => sums.tokens_in + sums.tokens_out,
    stepCount: (): number => sums.steps,
    makeReport: (ending: RunEnding, error: string | null): RunReport => ({
      how: ending,
      error,
      ...sums,
      artifacts: artifacts.size,
      stubs: stubs.size,
      ...sizes,
    }),
  };
}
