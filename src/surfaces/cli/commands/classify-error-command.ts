/** `spillway classify-error`: classifies provider error responses, a line each. */
import { formatNumber } from "../../../answer/phrases.ts";
import { SpillwayError } from "../../../errors.ts";
import { classify } from "../../../overflow/classify/classify.ts";
import type { Verdict } from "../../../overflow/classify/verdict.ts";
import { PATH_CHARS } from "../../../system/clip-lengths.ts";
import { clip } from "../../../system/safe-names.ts";
import { checkArguments } from "../arguments.ts";
import type { Command } from "../command.ts";
import { readLines } from "../input-lines.ts";
import { toErrorFields, toErrorLines, toJsonLine } from "../output.ts";

export const classifyErrorCommand: Command = {
  usage: "classify-error",
  examples: [["classify-error < responses.jsonl", "what each response means"]],
  about:
    "Reads provider responses from stdin, one JSON object {status, headers, body} per line, and prints what each means.",
  options: {},
  details:
    'The body is the text of the response, or the same as JSON. A line {"streamEvent": ...} is one event of a stream.\n' +
    "Classes: context_tokens, request_bytes, attachment_limit, output_limit, rate_limit, other.",
  async run(call) {
    checkArguments(0, call);
    let hasFailed = false;
    for await (const line of readLines(call.terminal.stdin)) {
      if (line.trim() === "") continue;
      try {
        const verdict = classify(parseLine(line));
        await call.terminal.out(call.json ? toJsonLine(verdictFields(verdict)) : `${verdictText(verdict)}\n`);
      } catch (error) {
        hasFailed = true;
        if (call.json) await call.terminal.out(toJsonLine(toErrorFields(error)));
        call.terminal.note(toErrorLines(error));
      }
    }
    return hasFailed ? 1 : 0;
  },
};

function parseLine(line: string): Parameters<typeof classify>[0] {
  const value = parseJson(line);
  if (typeof value !== "object" || value === null) throw invalidLineError(line);
  if ("streamEvent" in value || "finish" in value) return value;
  if (!("body" in value)) throw invalidLineError(line);
  const status = "status" in value && value.status !== null ? Number(value.status) : null;
  if (Number.isNaN(status)) throw invalidLineError(line);
  const headers = "headers" in value ? toHeaders(value.headers) : {};
  return { status, headers, body: value.body };
}

/** Header names in lower case, as the classifier expects them. */
function toHeaders(value: unknown): Record<string, string> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([name, value]) => [name.toLowerCase(), String(value)]));
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // Reported by parseLine, like any other invalid line.
  }
}

function invalidLineError(line: string): SpillwayError {
  return new SpillwayError("usage", `${JSON.stringify(clip(line))} is not a provider's response.`, {
    hint: 'Write each response as {"status": 400, "headers": {}, "body": "..."} on one line.',
  });
}

/** Every field is present; an unknown one is null. */
function verdictFields(verdict: Verdict) {
  const {
    limit = null,
    actual = null,
    input = null,
    output = null,
    unit = null,
    path = null,
    subclass = null,
  } = verdict;
  return {
    class: verdict.class,
    confidence: verdict.confidence,
    limit,
    actual,
    input,
    output,
    unit,
    lower_bound: verdict.lowerBound ?? false,
    path,
    subclass,
  };
}

function verdictText({ class: name, confidence, limit, actual, unit, path }: Verdict): string {
  const facts = [
    ...(limit === undefined ? [] : [`limit ${formatNumber(limit)}`]),
    ...(actual === undefined ? [] : [`actual ${formatNumber(actual)}`]),
    ...(unit === undefined ? [] : [unit]),
    ...(path === undefined ? [] : [`at ${clip(path, PATH_CHARS)}`]),
  ];
  return `${name} (${confidence}) ${facts.join(", ")}`.trimEnd();
}
