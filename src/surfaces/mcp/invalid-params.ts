/** Words the SDK's errors about parameters as the protocol wants them. */
import { type JSONRPCMessage, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { ERROR_CHARS } from "../../system/clip-lengths.ts";
import { clip } from "../../system/safe-names.ts";

/** The SDK reports most parameters of a wrong form as an internal error with a list of issues as its message. */
export function explainInvalidParams(message: JSONRPCMessage): JSONRPCMessage {
  if (!("error" in message)) return message;
  const issues = findIssues(message.error.message);
  if (issues === null) return message;
  const sentence = clip(`Invalid params: ${issues.map(describeIssue).join("; ")}`, ERROR_CHARS);
  return { ...message, error: { ...message.error, code: ProtocolErrorCode.InvalidParams, message: sentence } };
}

type Issue = { readonly path: readonly unknown[]; readonly message: string };

/** The issues, if all of them are about the parameters. */
function findIssues(text: string): readonly Issue[] | null {
  const json = text.slice(Math.max(0, text.indexOf("[")));
  if (!json.startsWith("[")) return null;
  try {
    const issues: unknown = JSON.parse(json);
    return Array.isArray(issues) && issues.length > 0 && issues.every(isParamsIssue) ? issues : null;
  } catch {
    return null;
  }
}

function isParamsIssue(value: unknown): value is Issue {
  if (typeof value !== "object" || value === null || !("path" in value) || !("message" in value)) return false;
  return Array.isArray(value.path) && value.path[0] === "params" && typeof value.message === "string";
}

function describeIssue({ path, message }: Issue): string {
  return `${path.join(".")}: ${message.replace(/^Invalid (input|option): /, "")}`;
}
