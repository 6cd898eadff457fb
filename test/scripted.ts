/** Scripted models: what a simulated model says to a request, and what it can read in that request. */
import type { Dialect, RequestBody } from "../src/overflow/dialects/dialect.ts";
import type { ScriptedAnswer } from "../src/overflow/dialects/simulator.ts";

export type { ScriptedAnswer, ScriptedCall } from "../src/overflow/dialects/simulator.ts";

/** Decides by what the request holds and by nothing else, as a model does. */
export type Script = (request: RequestBody, dialect: Dialect) => ScriptedAnswer;

/** The texts of all tool results in a request, in order. */
export function findResults(request: RequestBody, dialect: Dialect): string[] {
  const texts = new Map<string, string>();
  for (const { role, content, path } of dialect.findParts(request)) {
    if (role !== "tool_result" || !("text" in content)) continue;
    const message = path.slice(0, 4).join(".");
    texts.set(message, `${texts.get(message) ?? ""}${content.text}`);
  }
  return [...texts.values()];
}
