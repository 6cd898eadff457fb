/** Answers a request with an error, in the form that its client reads, and never with anything that the request said. */
import type { ServerResponse } from "node:http";
import { answerEarly } from "../../system/early-answer.ts";
import { isLlmPath } from "./llm-path.ts";

/** Why a request is not served. */
export type Refusal = {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Sends the refusal. The connection is closed: what else it carries was not checked. */
export function refuse(response: ServerResponse, { status, message, headers = {} }: Refusal): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const body = JSON.stringify(
    isLlmPath(response.req.url ?? "") ? toProviderError(status, message) : toRpcError(message),
  );
  const ownHeaders = { "content-type": "application/json", connection: "close", "cache-control": "no-store" };
  answerEarly(response, { status, headers: { ...ownHeaders, ...headers }, body });
}

const toRpcError = (message: string) => ({ jsonrpc: "2.0", id: null, error: { code: -32000, message } });

/** The form that clients of OpenAI and of Anthropic both read. */
function toProviderError(status: number, message: string) {
  const type = errorTypes[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
  return { type: "error", error: { type, message } };
}

/** The names that providers use. */
const errorTypes: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error",
};
