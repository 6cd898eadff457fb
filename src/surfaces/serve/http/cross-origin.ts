/** Answers for pages of origins that may use the server. All others were refused before. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Route } from "../routes.ts";

/** Lets the page read the answer. */
export function allowOrigin({ headers }: IncomingMessage, response: ServerResponse): void {
  if (headers.origin === undefined) return;
  response.setHeader("access-control-allow-origin", headers.origin);
  response.setHeader("access-control-expose-headers", "mcp-session-id, www-authenticate");
  response.setHeader("vary", "origin");
}

/** The question a browser asks before it sends a request with a token. True if this was one. */
export function answerPreflight({ method, headers }: IncomingMessage, response: ServerResponse, route: Route): boolean {
  if (method !== "OPTIONS" || headers.origin === undefined) return false;
  response.writeHead(204, {
    "access-control-allow-methods": route.methods.join(", "),
    "access-control-allow-headers": [
      "authorization",
      "content-type",
      "last-event-id",
      "mcp-method",
      "mcp-name",
      "mcp-protocol-version",
      "mcp-session-id",
      "spillway-client",
    ].join(", "),
    "access-control-max-age": "600",
  });
  response.end();
  return true;
}
