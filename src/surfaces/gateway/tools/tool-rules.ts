/** The user's rules for the tools of one server: what is done with their results, and which are offered at all. */

/** What is done with results: bounded, or passed with a ref appended, or passed untouched. */
export const relayModes = ["bound", "annotate", "off"] as const;
export type RelayMode = (typeof relayModes)[number];

export type RulesOptions = {
  /** For all tools of the server; by default it depends on the client. */
  readonly mode?: RelayMode | undefined;
  /** For single tools, by name or pattern: `search_*`. */
  readonly modes?: Readonly<Record<string, RelayMode>> | undefined;
  /** Names or patterns of the tools that are offered. Default: all. */
  readonly allow?: readonly string[] | undefined;
  /** Names or patterns of tools that are not; it overrides `allow`. */
  readonly deny?: readonly string[] | undefined;
};

export type ToolRules = {
  /** Undefined where the rules say nothing. */
  modeOf(tool: string): RelayMode | undefined;
  isOffered(tool: string): boolean;
};

/** The rules as functions of a tool's name. */
export function makeToolRules({ mode, modes = {}, allow, deny = [] }: RulesOptions): ToolRules {
  const perTool = Object.entries(modes).map(([pattern, each]) => ({ matches: matcher([pattern]), mode: each }));
  const isAllowed = allow === undefined ? () => true : matcher(allow);
  const isDenied = matcher(deny);
  return {
    modeOf: (tool) => perTool.find(({ matches }) => matches(tool))?.mode ?? mode,
    isOffered: (tool) => isAllowed(tool) && !isDenied(tool),
  };
}

/** Whether a name is one of these; a star is any characters. */
function matcher(patterns: readonly string[]): (name: string) => boolean {
  const expressions = patterns.map((pattern) => new RegExp(`^${pattern.split("*").map(escapeSigns).join(".*")}$`, "s"));
  return (name) => expressions.some((expression) => expression.test(name));
}

const escapeSigns = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
