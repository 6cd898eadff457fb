/** The token of a request to a provider of models: its Authorization header holds the key for the provider. */
import type { IncomingMessage } from "node:http";

/** Carries the token where a client can send a header of its own. */
export const TOKEN_HEADER = "spillway-token";

export type LlmRequest = {
  readonly token: string | undefined;
  readonly isInPath: boolean;
  /** The target without our path and without the token. */
  readonly target: string;
};

/** Takes a request to a path below `path` apart: `/llm/openai/v1/models`, or `/llm/TOKEN/openai/v1/models`. */
export function readLlmRequest({ headers, url = "" }: IncomingMessage, path: string): LlmRequest {
  const target = url.slice(path.length);
  const [, inPath, rest = ""] = /^\/(spw_[\w-]{1,200})((?:[/?].*)?)$/s.exec(target) ?? [];
  if (inPath !== undefined) return { token: inPath, isInPath: true, target: rest };
  const sent = headers[TOKEN_HEADER];
  const token = typeof sent === "string" && /^[\w~+/.-]{1,8192}=*$/.test(sent) ? sent : undefined;
  return { token, isInPath: false, target };
}

/** Where clients put the keys of providers. */
const keyHeaders = ["authorization", "x-api-key", "x-goog-api-key", "api-key"];

/** Whether a token of ours would reach the provider: somebody has mistaken it for the provider's key. */
export function hasOwnToken({ headers }: IncomingMessage, target: string): boolean {
  return [target, ...keyHeaders.map((name) => headers[name] ?? "")].some((text) => /spw_[\w-]{43}/.test(String(text)));
}
