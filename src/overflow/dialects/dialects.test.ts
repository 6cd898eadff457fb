/** Every dialect passes the contract; then what only some of them have. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { anthropicMessages } from "./anthropic-messages.ts";
import { dialectContract } from "./dialect.contract.ts";
import { dialects, findDialect } from "./dialects.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import { httpSimulators, simulators } from "./simulators.ts";

for (const simulator of simulators) dialectContract(simulator.dialect, simulator);

test("every dialect has a simulator", () => {
  assert.deepEqual(
    httpSimulators.map(({ dialect }) => dialect.name),
    dialects.map(({ name }) => name),
  );
});

test("only the endpoints for conversations have a dialect", () => {
  const cases = [
    ["POST", "/v1/chat/completions", "openai-chat"],
    ["POST", "/openai/deployments/x/chat/completions", "openai-chat"],
    ["POST", "/v1/responses", "openai-responses"],
    ["POST", "/v1/messages", "anthropic-messages"],
    ["POST", "/v1beta/models/gemini-3-pro:streamGenerateContent", "gemini"],
    ["POST", "/v1/messages/count_tokens", undefined],
    ["POST", "/v1/threads/t_1/messages", undefined],
    ["POST", "/v1/responses/compact", undefined],
    ["POST", "/v1beta/models/gemini-3-pro:countTokens", undefined],
    ["GET", "/v1/messages", undefined],
  ] as const;
  for (const [method, path, name] of cases) assert.equal(findDialect(method, path)?.name, name, path);
});

describe("a cache mark", () => {
  const mark = { cache_control: { type: "ephemeral" } };
  const data = Buffer.from("pixels").toString("base64");
  const url = `data:image/png;base64,${data}`;
  const cases = [
    [
      anthropicMessages,
      { type: "image", source: { type: "base64", media_type: "image/png", data } },
      "messages",
      "text",
    ],
    [openaiChat, { type: "image_url", image_url: { url } }, "messages", "text"],
    [openaiResponses, { type: "input_image", image_url: url }, "input", "input_text"],
  ] as const;
  for (const [dialect, picture, list, type] of cases) {
    test(`stays on the block that replaces a picture in ${dialect.name}`, () => {
      const request = { [list]: [{ role: "user", content: [{ ...picture, ...mark }] }] };
      const [part] = dialect.findParts(request);
      assert.deepEqual(part?.makeReplacement("a stub"), { type, text: "a stub", ...mark });
    });
  }
});
