/** The input tokens that a response reports, in the field names of every dialect. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readInputTokens } from "./token-usage.ts";

const cases: readonly (readonly [name: string, text: string, tokens: number | undefined])[] = [
  ["a chat", '{"choices":[],"usage":{"prompt_tokens":120,"completion_tokens":3}}', 120],
  ["a response", '{"object":"response","usage":{"input_tokens":121,"output_tokens":3}}', 121],
  [
    "a message with cached input",
    '{"type":"message","usage":{"input_tokens":2,"cache_read_input_tokens":100,"cache_creation_input_tokens":20}}',
    122,
  ],
  ["a candidate", '{"candidates":[],"usageMetadata":{"promptTokenCount":123}}', 123],
  [
    "the first event of a message",
    'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":124}}}\n\n',
    124,
  ],
  [
    "the last event of a response",
    'data: {"type":"response.completed","response":{"usage":{"input_tokens":125}}}\n\n',
    125,
  ],
  ["a stream that has not reported usage", 'data: {"choices":[{"delta":{"content":"one"}}]}\n\n', undefined],
  [
    "text that only mentions usage",
    '{"choices":[{"message":{"content":"\\"usage\\": {\\"prompt_tokens\\": 9}"}}]}',
    undefined,
  ],
  ["the input of a tool call", '{"content":[{"type":"tool_use","input":{"usage":{"input_tokens":9}}}]}', undefined],
  ["a count that is not a number", '{"usage":{"prompt_tokens":"many"}}', undefined],
  ["text that is not JSON", "fine", undefined],
];

for (const [name, text, tokens] of cases) {
  test(`${name}: ${tokens ?? "nothing"}`, () => {
    const bytes = Buffer.from(text);
    assert.equal(readInputTokens([bytes.subarray(0, 10), bytes.subarray(10)]), tokens);
  });
}
