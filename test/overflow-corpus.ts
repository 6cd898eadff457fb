/** The recorded provider answers: where they are, their labels, and the classifier's scores on them. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { classify } from "../src/overflow/classify/classify.ts";
import type { OverflowClass, Verdict } from "../src/overflow/classify/verdict.ts";

export type RecordedResponse = {
  readonly provider: string;
  readonly http_status: number | null;
  readonly body: string;
  readonly label: OverflowClass;
  readonly limit: number | null;
  readonly actual: number | null;
  readonly evidence: string;
  readonly kind: "error_payload" | "stream_event" | "success_body" | "adversarial_text";
};

/** The file in the folder `SPILLWAY_CORPUS`, by default in `shared/corpus` next to the repository. */
export function corpusFile(): string {
  const defaultFolder = fileURLToPath(new URL("../../shared/corpus", import.meta.url));
  return join(process.env.SPILLWAY_CORPUS ?? defaultFolder, "overflow", "errors.jsonl");
}

/** The answers with their digest, or null if they are not on this machine. */
export function readRecordedResponses(): {
  readonly answers: readonly RecordedResponse[];
  readonly digest: string;
} | null {
  const file = corpusFile();
  if (!existsSync(file)) return null;
  const text = readFileSync(file, "utf8");
  const answers = text
    .split("\n")
    .filter(Boolean)
    .map((line): RecordedResponse => JSON.parse(line));
  return { answers, digest: createHash("sha256").update(text).digest("hex") };
}

/** A third of the providers, not used in the first tuning; the rules have been fitted to them since. */
export function wasTunedLater({ provider }: RecordedResponse): boolean {
  return BigInt(`0x${createHash("sha256").update(provider).digest("hex")}`) % 3n === 0n;
}

const isOverflowClass = (name: OverflowClass): boolean => name === "context_tokens" || name === "request_bytes";

const share = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole);

/**
 * Precision, recall, class and figures. Attachment records count by class only, and numbers that were filled into a
 * template do not count.
 */
export function scoreResponses(answers: readonly RecordedResponse[]) {
  const judged = answers
    .filter(({ kind }) => kind !== "adversarial_text")
    .map((answer) => ({ answer, verdict: classify({ status: answer.http_status, body: answer.body }) }));
  const counted = judged.filter(({ answer }) => answer.label !== "attachment_limit");
  const reported = counted.filter(({ verdict }) => isOverflowClass(verdict.class));
  const overflows = counted.filter(({ answer }) => isOverflowClass(answer.label));
  const correct = reported.filter(({ answer }) => isOverflowClass(answer.label));
  const numbered = overflows.filter(({ answer }) => answer.evidence !== "template");
  const byteLimits = overflows.filter(({ answer }) => answer.label === "request_bytes" && answer.limit !== null);
  return {
    answers: judged.length,
    precision: share(correct.length, reported.length),
    recall: share(correct.length, overflows.length),
    class: share(judged.filter(({ answer, verdict }) => verdict.class === answer.label).length, judged.length),
    numbers: share(numbered.filter(hasExactFigures).length, numbered.length),
    byteLimits: share(
      byteLimits.filter(({ answer, verdict }) => verdict.limit === answer.limit).length,
      byteLimits.length,
    ),
  };
}

function hasExactFigures({ answer, verdict }: { answer: RecordedResponse; verdict: Verdict }): boolean {
  return (verdict.limit ?? null) === answer.limit && (verdict.actual ?? null) === answer.actual;
}
