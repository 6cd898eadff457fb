/**
 * A small agent in OpenAI's chat format that knows nothing of Spillway: it lists long results until it overflows. Run it with
 * recovery, which needs no change in it:
 *
 *   spillway with --openai-env OPENAI_BASE_URL node examples/plain-agent.ts
 */
const base = process.env.OPENAI_BASE_URL ?? "https://api.openai.com/v1";
const RESULTS = 4;

/** A result that no model needs in full. */
const writeResult = (number: number): string =>
  Array.from({ length: 1_000 }, (_, line) => `result ${number}, line ${line}: all is well`).join("\n");

const messages: object[] = [{ role: "user", content: "Is all well?" }];
for (let number = 1; number <= RESULTS; number++) {
  const call = { id: `call_${number}`, type: "function", function: { name: "report", arguments: "{}" } };
  messages.push({ role: "assistant", content: null, tool_calls: [call] });
  messages.push({ role: "tool", tool_call_id: call.id, content: writeResult(number) });
}

const response = await fetch(`${base}/chat/completions`, {
  method: "POST",
  headers: { "content-type": "application/json", authorization: `Bearer ${process.env.OPENAI_API_KEY}` },
  body: JSON.stringify({ model: process.env.MODEL ?? "gpt-5-mini", messages }),
});
const answer = JSON.parse(await response.text());
console.log(response.ok ? answer.choices[0].message.content : `${response.status}: ${answer.error.message}`);
process.exitCode = response.ok ? 0 : 1;
