/** Where requests to providers of models go. */

export const LLM_PATH = "/llm";

/** Whether the target of a request is that path or below it. */
export const isLlmPath = (target: string): boolean =>
  target.startsWith(LLM_PATH) && ["", "/", "?"].includes(target.charAt(LLM_PATH.length));
