/** Loads the tokenizer of a model: a module that the user names, loaded once and guarded against its errors. */
import { pathToFileURL } from "node:url";
import type { Settings } from "../config/settings.ts";
import type { Tokenizer } from "../fit/budget.ts";
import { estimateTokens } from "../fit/measure.ts";

/** Loads the tokenizer that the settings name; undefined where there is none, or where loading failed and was logged. */
export function makeTokenizerLoader(
  settings: Settings,
  log: (line: string) => void,
): () => Promise<Tokenizer | undefined> {
  const { "tokens.model": model, "tokens.module": path } = settings;
  let loading: Promise<Tokenizer | undefined> | undefined;
  return () => {
    if (model === null || path === null) return Promise.resolve(undefined);
    loading ??= load(path, model, log).catch((error: unknown) => {
      log(`warning: the tokenizer ${path} cannot be used, tokens are estimated: ${String(error)}`);
      return undefined;
    });
    return loading;
  };
}

async function load(path: string, model: string, log: (line: string) => void): Promise<Tokenizer> {
  const plugin: unknown = await import(pathToFileURL(path).href);
  const count = findCountTokens(plugin);
  if (count === undefined) throw new TypeError("it exports no function countTokens(text, model)");
  return guardTokenizer({ model, count: (text) => Number(count(text, model)) }, log);
}

function findCountTokens(plugin: unknown): ((text: string, model: string) => unknown) | undefined {
  if (typeof plugin !== "object" || plugin === null || !("countTokens" in plugin)) return undefined;
  const { countTokens } = plugin;
  return typeof countTokens === "function" ? (text, model) => countTokens(text, model) : undefined;
}

/** Estimates a text that the tokenizer cannot count, so that no reply fails because of it; logs the first failure. */
export function guardTokenizer({ model, count }: Tokenizer, log: (line: string) => void): Tokenizer {
  let hasWarned = false;
  function estimate(text: string, reason: string): number {
    if (!hasWarned) log(`warning: the tokenizer of ${model} could not count a text, which was estimated: ${reason}`);
    hasWarned = true;
    return estimateTokens(text.length);
  }
  return {
    model,
    count(text) {
      try {
        const tokens = count(text);
        return Number.isFinite(tokens) && tokens >= 0 ? Math.ceil(tokens) : estimate(text, `it gave ${tokens}`);
      } catch (error) {
        return estimate(text, String(error));
      }
    },
  };
}
