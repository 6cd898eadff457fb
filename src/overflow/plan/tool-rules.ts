/** The user's rules for the results of single tools. */
import { isStub } from "../../answer/stub-text.ts";
import { SpillwayError } from "../../errors.ts";
import { clip } from "../../system/safe-names.ts";
import type { Part } from "../dialects/dialect.ts";
import type { OutgoingRequest } from "../wire/outgoing-request.ts";
import { type Replacement, STUB_CHARS } from "./sent-part.ts";

/** `keep`: never removed. `first`: removed before other results. A number: the most characters that are sent of it. */
export type ToolRule = "keep" | "first" | number;

export type ToolRules = {
  readonly hasCaps: boolean;
  ruleFor(part: Part): ToolRule | undefined;
};

export const noToolRules: ToolRules = { hasCaps: false, ruleFor: () => undefined };

/** A shorter excerpt would be little more than its own description. */
const MIN_CAP_CHARS = 500;

/** Parses the lines of the setting, `tool=rule`. */
export function parseToolRules(lines: readonly string[]): ToolRules {
  const rules = new Map(lines.map(parseLine));
  return {
    hasCaps: [...rules.values()].some((rule) => typeof rule === "number"),
    ruleFor: ({ tool, role }) => {
      const rule = tool === undefined ? undefined : rules.get(tool);
      return role === "tool_result" || (role === "call" && rule === "keep") ? rule : undefined;
    },
  };
}

function parseLine(line: string): [string, ToolRule] {
  const equals = line.lastIndexOf("=");
  const [tool, rule] = [line.slice(0, equals).trim(), line.slice(equals + 1).trim()];
  if (tool !== "" && equals > 0) {
    if (rule === "keep" || rule === "first") return [tool, rule];
    const chars = Number(rule.replaceAll(/[_,\s]/g, ""));
    if (Number.isInteger(chars) && chars >= MIN_CAP_CHARS) return [tool, chars];
  }
  throw new SpillwayError("config_invalid", `overflow.tools cannot hold ${JSON.stringify(clip(line))}.`, {
    hint: `Write each as tool=keep, tool=first or tool=20000 (characters, at least ${MIN_CAP_CHARS}).`,
  });
}

/** The results that are longer than the rule for their tool allows. */
export function findOverlong({ dialect, request }: OutgoingRequest, rules: ToolRules): Replacement[] {
  return dialect.findParts(request).flatMap((part) => {
    const maxChars = rules.ruleFor(part);
    if (typeof maxChars !== "number" || !("text" in part.content) || isStub(part.content.text)) return [];
    return part.content.text.length > maxChars + STUB_CHARS ? [{ part, shownChars: maxChars }] : [];
  });
}
