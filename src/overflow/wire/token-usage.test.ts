/** What an answer says the request weighed, in the words of every dialect. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inputTokensIn } from "./token-usage.ts";

const cases: readonly (readonly [name: string, text: string, tokens: number | undefined])[] = [
  ["a chat", '{"choices":[],"usage":{"prompt_tokens":120,"completion_tokens":3}}', 120],
  ["a response", '{"object":"response","usage":{"input_tokens":121,"output_tokens":3}}', 121],
  [
    "a message with what came from the cache",
    '{"type":"message","usage":{"input_tokens":2,"cache_read_input_tokens":100,"cache_creation_input_tokens":20}}',
    122,
  ],
  ["a candidate", '{"candidates":[],"usageMetadata":{"promptTokenCount":123}}', 123],
  [
    "the event a message begins with",
    'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":124}}}\n\n',
    124,
  ],
  [
    "the event a response ends with",
    'data: {"type":"response.completed","response":{"usage":{"input_tokens":125}}}\n\n',
    125,
  ],
  ["a stream that has not said", 'data: {"choices":[{"delta":{"content":"one"}}]}\n\n', undefined],
  [
    "text that only talks of it",
    '{"choices":[{"message":{"content":"\\"usage\\": {\\"prompt_tokens\\": 9}"}}]}',
    undefined,
  ],
  ["what a tool is called with", '{"content":[{"type":"tool_use","input":{"usage":{"input_tokens":9}}}]}', undefined],
  ["no number", '{"usage":{"prompt_tokens":"many"}}', undefined],
  ["no JSON", "fine", undefined],
];

for (const [name, text, tokens] of cases) {
  test(`${name}: ${tokens ?? "nothing"}`, () => {
    const bytes = Buffer.from(text);
    assert.equal(inputTokensIn([bytes.subarray(0, 10), bytes.subarray(10)]), tokens);
  });
}
