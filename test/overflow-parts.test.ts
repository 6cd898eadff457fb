/** Recovery part by part: the parts of each format, the part that an error names, and what is kept. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isStub } from "../src/answer/stub-text.ts";
import { toFields, toItems } from "../src/overflow/dialects/dialect.ts";
import { findHttpSimulator } from "../src/overflow/dialects/simulators.ts";
import { withOverflowRecovery } from "../src/overflow/overflow-fetch.ts";
import { readArtifactBytes } from "./bodies.ts";
import { assertLinearTime } from "./cpu-time.ts";
import { openWatchedSession } from "./recovery.ts";

const long = "the gate at weir seven opened to 41 percent and the level fell by two centimetres\n".repeat(2_000);
const base64 = Buffer.from(long).toString("base64");
const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: base64 } };

/** Posts a request that is refused once, and returns everything that was sent. */
async function postRefusedOnce(dialectName: string, body: object | string | Uint8Array, refusal: object | string) {
  const session = await openWatchedSession();
  const sent: Buffer[] = [];
  const fetch = withOverflowRecovery(
    async (_, init) => {
      sent.push(Buffer.from(init?.body as string));
      const error = typeof refusal === "string" ? { error: { message: refusal } } : refusal;
      return sent.length === 1 ? Response.json(error, { status: 400 }) : Response.json({ ok: true });
    },
    { session },
  );
  const requestBody = typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
  const response = await fetch(findHttpSimulator(dialectName).address, {
    method: "POST",
    body: requestBody as string,
  });
  return { response, sent: sent.map((bytes) => bytes.toString("utf8")), bytes: sent, session };
}

/** A refusal that names half of the size as the limit. */
const refuseHalf = (body: object): string => {
  const tokens = Math.ceil(JSON.stringify(body).length / 4);
  return `This model's maximum context length is ${Math.floor(tokens / 2)} tokens. However, your messages resulted in ${tokens} tokens.`;
};

const chatCall = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }],
};
const chatRequest = {
  model: "m",
  messages: [
    { role: "user", content: "x" },
    chatCall,
    { role: "tool", tool_call_id: "a", content: long },
    { role: "assistant", content: "k" },
    { role: "user", content: "n" },
  ],
};
const claudeRequest = (
  results: unknown,
  tail: readonly object[] = [
    { role: "assistant", content: "k" },
    { role: "user", content: "n" },
  ],
) => ({
  model: "m",
  max_tokens: 10,
  messages: [
    { role: "user", content: "x" },
    { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: results }] },
    ...tail,
  ],
});
const claudeAttached = (content: readonly unknown[]) => ({
  model: "m",
  max_tokens: 10,
  messages: [
    { role: "user", content },
    { role: "assistant", content: "k" },
    { role: "user", content: "n" },
  ],
});
const responsesItems = (items: readonly object[]) => ({
  model: "m",
  input: [
    { role: "user", content: "x" },
    ...items,
    { role: "assistant", content: "k" },
    { role: "user", content: "n" },
  ],
});
const geminiResponse = (response: object) => ({
  contents: [
    { role: "user", parts: [{ text: "q" }] },
    { role: "model", parts: [{ functionCall: { name: "db", args: {} } }] },
    { role: "user", parts: [{ functionResponse: { name: "db", ...response } }] },
    { role: "model", parts: [{ text: "ok" }] },
    { role: "user", parts: [{ text: "n" }] },
  ],
});

describe("large parts of every format are found", () => {
  const cases: readonly [string, string, object][] = [
    [
      "a screenshot of an earlier turn",
      "openai-responses",
      responsesItems([
        { type: "computer_call", call_id: "a", id: "i", action: {} },
        {
          type: "computer_call_output",
          call_id: "a",
          output: { type: "computer_screenshot", image_url: `data:image/png;base64,${base64}` },
        },
      ]),
    ],
    [
      "the output of a shell",
      "openai-responses",
      responsesItems([
        { type: "shell_call", call_id: "a", action: {} },
        {
          type: "shell_call_output",
          call_id: "a",
          output: [{ stdout: long, stderr: "", outcome: { type: "exit", exit_code: 0 } }],
        },
      ]),
    ],
    [
      "a picture that a function returned",
      "gemini",
      geminiResponse({ response: { ok: true }, parts: [{ inlineData: { mimeType: "image/png", data: base64 } }] }),
    ],
    [
      "a search result",
      "anthropic-messages",
      claudeRequest([
        {
          type: "search_result",
          source: "http://x",
          title: "t",
          content: [{ type: "text", text: long }],
          citations: { enabled: true },
        },
      ]),
    ],
    [
      "a document made of blocks",
      "anthropic-messages",
      claudeAttached([{ type: "document", source: { type: "content", content: [{ type: "text", text: long }] } }]),
    ],
    [
      "a video",
      "openai-chat",
      {
        model: "m",
        messages: [
          { role: "user", content: [{ type: "video_url", video_url: { url: `data:video/mp4;base64,${base64}` } }] },
          { role: "assistant", content: "k" },
          { role: "user", content: "n" },
        ],
      },
    ],
  ];
  for (const [name, dialect, body] of cases) {
    test(`${name} (${dialect})`, async () => {
      const { response, sent, session } = await postRefusedOnce(dialect, body, refuseHalf(body));
      assert.deepEqual([response.status, sent.length], [200, 2]);
      assert.ok((sent[1]?.length ?? Infinity) < 2_000, `${sent[1]?.length} characters remain`);
      const event = session.events.find((each) => each.event === "overflow.recovered");
      assert.ok(event?.event === "overflow.recovered");
      const [ref = ""] = event.stubs;
      assert.equal((await readArtifactBytes(session.store, ref)).toString("utf8"), long);
    });
  }

  test("a screenshot that the model has not seen yet stays", async () => {
    const body = {
      model: "m",
      input: [
        { role: "user", content: "x" },
        { type: "computer_call", call_id: "a", id: "i", action: {} },
        {
          type: "computer_call_output",
          call_id: "a",
          output: { type: "computer_screenshot", image_url: `data:image/png;base64,${base64}` },
        },
      ],
    };
    const { response, sent } = await postRefusedOnce("openai-responses", body, refuseHalf(body));
    assert.deepEqual([response.status, sent.length], [400, 1]);
  });

  test("fields that only media have are removed with them", async () => {
    const video = {
      inlineData: { mimeType: "video/mp4", data: base64 },
      videoMetadata: { fps: 1 },
      mediaResolution: {},
      thoughtSignature: "s",
    };
    const body = {
      contents: [
        { role: "user", parts: [video, { text: "q" }] },
        { role: "model", parts: [{ text: "ok" }] },
        { role: "user", parts: [{ text: "n" }] },
      ],
    };
    const { sent } = await postRefusedOnce("gemini", body, refuseHalf(body));
    const [part] = JSON.parse(sent[1] ?? "").contents[0].parts;
    assert.deepEqual(Object.keys(part).sort(), ["text", "thoughtSignature"]);
  });

  test("an item that the provider stores is server state", async () => {
    const body = {
      model: "m",
      input: [
        { type: "item_reference", id: "msg_1" },
        { role: "user", content: "n" },
      ],
    };
    const { response, sent } = await postRefusedOnce(
      "openai-responses",
      body,
      "Your input exceeds the context window of this model.",
    );
    assert.equal(sent.length, 1);
    assert.equal(
      ((await response.json()) as { error: { spillway: { reason: string } } }).error.spillway.reason,
      "server_state",
    );
  });
});

describe("a kept part", () => {
  test("has every digit of its numbers", async () => {
    const rows = Array.from({ length: 2_000 }, (_, index) => `{"id": 12345678901234567${index}, "v": 1.10}`).join(",");
    const exactJson = `{ "rows": [${rows}] }`;
    const body = JSON.stringify(geminiResponse({ response: "@" })).replace('"@"', exactJson);
    const { sent, session } = await postRefusedOnce("gemini", body, refuseHalf({ body }));
    const [ref = ""] = /af_[0-9a-f]{32}/.exec(sent[1] ?? "") ?? [];
    assert.equal((await readArtifactBytes(session.store, ref)).toString("utf8"), exactJson);
  });

  test("may be in a request that begins with a byte order mark, which stays", async () => {
    const { response, sent } = await postRefusedOnce(
      "openai-chat",
      `\uFEFF${JSON.stringify(chatRequest)}`,
      refuseHalf(chatRequest),
    );
    assert.deepEqual([response.status, sent.length, sent[1]?.startsWith('\uFEFF{"model"')], [200, 2, true]);
  });

  test("is never taken from a body that is not UTF-8, which passes unchanged", async () => {
    const body = Buffer.from(JSON.stringify(chatRequest).replace('"x"', '"caf\u00e9"'), "latin1");
    const { sent, bytes } = await postRefusedOnce("openai-chat", body, refuseHalf(chatRequest));
    assert.ok(sent.length === 1 && bytes[0]?.equals(body));
  });
});

describe("the part that an error names is replaced", () => {
  const overFiveMegabytes = "image exceeds 5 MB maximum: 7340032 bytes > 5242880 bytes";
  const cases: readonly [
    string,
    object,
    (request: { messages: { content: { type: string; content: { type: string }[] | string }[] }[] }) => unknown,
    unknown,
  ][] = [
    [
      `messages.2.content.0.tool_result.content.1.image.source.base64: ${overFiveMegabytes}`,
      claudeRequest([{ type: "text", text: "t" }, picture, picture]),
      ({ messages }) => toItems(messages[2]?.content[0]?.content).map((item) => toFields(item).type),
      ["text", "text", "image"],
    ],
    [
      "messages.2.content.0.tool_result.content: String should have at most 20000 characters",
      claudeRequest(long),
      ({ messages }) => String(messages[2]?.content[0]?.content).startsWith("[Set aside"),
      true,
    ],
    [
      "A maximum of 100 PDF pages may be provided.",
      claudeAttached([
        picture,
        { type: "document", source: { type: "base64", media_type: "application/pdf", data: base64 } },
      ]),
      ({ messages }) => messages[0]?.content.map(({ type }) => type),
      ["image", "text"],
    ],
    [
      "too many images in the message, max allowed is 16",
      claudeAttached(Array.from({ length: 20 }, () => picture)),
      ({ messages }) => messages[0]?.content.map(({ type }) => type),
      [...Array.from({ length: 4 }, () => "text"), ...Array.from({ length: 16 }, () => "image")],
    ],
  ];
  for (const [message, body, inspect, expected] of cases) {
    test(message, async () => {
      const { sent } = await postRefusedOnce("anthropic-messages", body, message);
      assert.equal(sent.length, 2);
      assert.deepEqual(inspect(JSON.parse(sent[1] ?? "")), expected);
    });
  }
});

test("a limit in characters without a path is on the whole input", async () => {
  const texts = Array.from({ length: 8 }, (_, index) => `${index} ${long.slice(0, 6_000)}`);
  const rounds = texts.flatMap((content, index) => {
    const [call] = chatCall.tool_calls;
    const id = `c${index}`;
    return [
      { role: "assistant", content: null, tool_calls: [{ ...call, id }] },
      { role: "tool", tool_call_id: id, content },
    ];
  });
  const body = { model: "m", messages: [{ role: "user", content: "x" }, ...rounds] };
  const message = "Input is too long: 48000 characters, maximum 20000 characters";
  const { response, sent } = await postRefusedOnce("openai-chat", body, message);
  assert.deepEqual([response.status, sent.length], [200, 2]);
  const remaining = (sent[1] ?? "").length;
  assert.ok(
    remaining < 22_000 && remaining > 10_000 && JSON.parse(sent[1] ?? "").messages.at(-1).content === texts[7],
    `${remaining} characters remain`,
  );
});

describe("hostile texts are checked in linear time:", () => {
  test("an image of spaces", () =>
    assertLinearTime(100_000, (count) => {
      const source = { type: "base64", media_type: "image/png", data: `${" ".repeat(count)}!` };
      const message = "messages.2.content.0.content.0.image: image exceeds 5 MB maximum: 9427836 bytes > 5242880 bytes";
      return postRefusedOnce("anthropic-messages", claudeRequest([{ type: "image", source }]), message);
    }));

  test("a text that begins like a stub", () =>
    assertLinearTime(3_000, (count) => {
      const sentences = `artifact_ref=af_${"0".repeat(32)}. To read it: `.repeat(count);
      assert.equal(isStub(`[Set aside by Spillway to fit the model's limit: ${sentences}x`), false);
    }));
});

describe("the output limit", () => {
  const tooLarge =
    "max_tokens is too large: 200000. This model supports at most 16384 completion tokens, whereas you provided 200000.";
  const unrecoverable: readonly [string, object][] = [
    ["max_tokens is too large for this model.", { ...chatRequest, max_tokens: 100_000 }],
    [tooLarge, chatRequest],
    [tooLarge, { ...chatRequest, options: { max_tokens: 200_000 } }],
    [
      "Could not finish the message because max_tokens or model output limit was reached. Please try again with higher max_tokens.",
      { ...chatRequest, max_tokens: 1_000 },
    ],
  ];
  for (const [message, body] of unrecoverable) {
    test(`never makes recovery remove input: ${message.slice(0, 60)} ${Object.keys(body).join()}`, async () => {
      const { response, sent } = await postRefusedOnce("openai-chat", body, message);
      assert.deepEqual([response.status, sent.length], [400, 1]);
    });
  }

  test("is lowered in every field that asks for too much", async () => {
    const body = { ...chatRequest, max_tokens: 200_000, max_completion_tokens: 300 };
    const { sent } = await postRefusedOnce("openai-chat", body, tooLarge);
    assert.equal(sent[1], JSON.stringify({ ...body, max_tokens: 16_384 }));
  });
});

describe("an answer that was cut", () => {
  async function countCalls(answer: object, more: object): Promise<number> {
    let calls = 0;
    const fetch = withOverflowRecovery(
      async () => {
        calls++;
        return Response.json(answer);
      },
      { session: await openWatchedSession() },
    );
    await fetch(findHttpSimulator("openai-chat").address, {
      method: "POST",
      body: JSON.stringify({ ...chatRequest, ...more }),
    });
    return calls;
  }
  const cut = (message: object, usage?: object) => ({
    choices: [{ message, finish_reason: "length" }],
    ...(usage ? { usage } : {}),
  });
  const cases: readonly [string, object, object, number][] = [
    ["before its first token is an overflow", cut({ content: "" }, { completion_tokens: 0 }), { max_tokens: 5 }, 2],
    [
      "because the request asked for no output is not",
      cut({ content: "" }, { completion_tokens: 0 }),
      { max_tokens: 0 },
      1,
    ],
    ["in the middle of a call is not", cut({ content: "", tool_calls: [{ id: "x" }] }), {}, 1],
    ["in the middle of a thought is not", cut({ content: "", reasoning_content: "hm" }), {}, 1],
  ];
  for (const [name, answer, more, calls] of cases) {
    test(name, async () => assert.equal(await countCalls(answer, more), calls));
  }
});

test("an assistant prefill does not make the newest result an older one", async () => {
  const older = long.slice(0, 60_000);
  const messages = [
    { role: "user", content: "x" },
    { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: older }] },
    { role: "assistant", content: [{ type: "tool_use", id: "b", name: "f", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "b", content: long }] },
    { role: "assistant", content: "{" },
  ];
  const { sent } = await postRefusedOnce(
    "anthropic-messages",
    { model: "m", max_tokens: 9, messages },
    "prompt is too long: 57000 tokens > 50000 maximum",
  );
  const after = JSON.parse(sent[1] ?? "").messages;
  assert.deepEqual([after[4].content[0].content === long, after[2].content[0].content === older], [true, false]);
});
