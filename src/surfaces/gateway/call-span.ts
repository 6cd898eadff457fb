/** The span of a relayed call: from the client's request to the server's answer, by the conventions for MCP. */
import type { Session } from "../../session/session.ts";
import type { Attributes } from "../../telemetry/spans.ts";
import { type JsonObject, type RequestId, toObject } from "./json-rpc.ts";

export type CallSpan = {
  /** Ends it with the server's answer. */
  answered(json: JsonObject): void;
  /** Ends it without one; after an answer it does nothing. */
  failed(reason: "cancelled" | "timeout" | "server_gone"): void;
};

export type RelayedCall = {
  readonly id: RequestId;
  readonly tool: string;
  /** The name of the server in the gateway. */
  readonly server: string;
  readonly client: string | undefined;
  readonly params: JsonObject;
};

/** The caller's trace context stays in `_meta`, so the spans of the server belong to the same trace. */
export function startCallSpan(session: Pick<Session, "trace">, call: RelayedCall): CallSpan {
  const { promise: ended, resolve: end } = Promise.withResolvers<Attributes>();
  void session.trace(
    () => ({
      name: `tools/call ${call.tool}`,
      kind: "client",
      carrier: call.params._meta,
      attributes: {
        ...{ "mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": call.tool },
        ...{ "jsonrpc.request.id": String(call.id), "spillway.gateway.server": call.server },
        "spillway.client": call.client,
      },
    }),
    async (span) => span.set(await ended),
  );
  return {
    answered: (json) => end(describeAnswer(json)),
    failed: (reason) => end({ "error.type": reason }),
  };
}

function describeAnswer({ result, error }: JsonObject): Attributes {
  if (error === undefined) return { "error.type": toObject(result).isError === true ? "tool_error" : undefined };
  const code = String(toObject(error).code);
  return { "error.type": code, "rpc.response.status_code": code };
}
