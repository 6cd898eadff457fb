/** The order in which a plan replaces parts, the same in every dialect. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Verdict } from "../classify/verdict.ts";
import type { Conversation, Simulator, Turn } from "../dialects/simulator.ts";
import { simulators } from "../dialects/simulators.ts";
import { planShedding } from "./plan.ts";

const picture = (name: string) => ({
  mediaType: "image/png",
  base64: Buffer.from(name.repeat(2_000)).toString("base64"),
});
const call = (text: string) => [{ tool: "shell", result: { text, form: "text" as const } }];
const words = (name: string, count: number): string => `${name} `.repeat(count);

/** An earlier turn, and the current one: a picture, two calls that the model has seen, and one that it has not. */
const turns: readonly Turn[] = [
  { user: "First.", attachment: picture("older picture"), rounds: [call(words("small", 400))], answer: "Yes." },
  {
    user: "Then?",
    attachment: picture("current picture"),
    rounds: [call(words("large", 2_000)), call(`%PDF-1.7 ${words("document", 300)}`), call(words("newest", 1_000))],
  },
];
const conversation: Conversation = { system: "You watch dams.", turns, outputTokens: 100 };

/** The content of each replaced part, in the order of the plan. */
function shedOrder({ dialect, writeRequest }: Simulator, verdict: Verdict): string[] {
  const request = writeRequest(conversation);
  const { replacements } = planShedding(request, dialect, verdict, { wireBytes: JSON.stringify(request).length });
  return replacements.map(({ part: { content } }) => {
    const text = "text" in content ? content.text : Buffer.from(content.base64, "base64").toString("utf8");
    return /older picture|current picture|small|large|document|newest/.exec(text)?.[0] ?? text.slice(0, 20);
  });
}

const smallLimit: Verdict = { class: "request_bytes", confidence: 1, unit: "bytes", limit: 2_000 };

for (const simulator of simulators) {
  const { dialect } = simulator;
  describe(`a plan for ${dialect.name}`, () => {
    test("replaces older attachments first, then older results from the oldest on, and current attachments last", () => {
      const order = ["older picture", "document", "small", "large", "newest", "current picture"];
      assert.deepEqual(shedOrder(simulator, smallLimit), order);
    });

    test("begins with the part at the path in the error", () => {
      const request = simulator.writeRequest(conversation);
      const small = dialect
        .findParts(request)
        .find(({ content }) => "text" in content && content.text.startsWith("small"));
      const path = small?.path.join(".") ?? "";
      assert.equal(shedOrder(simulator, { ...smallLimit, path })[0], "small");
    });
  });
}
