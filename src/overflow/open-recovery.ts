/** Opens recovery on a session: uses its store, its settings and its event log. */
import { SpillwayError } from "../errors.ts";
import type { Session } from "../session/session.ts";
import { clip } from "../system/safe-names.ts";
import { createKeep } from "./keep-part.ts";
import { createKnownLimits, isLimitLine } from "./limits/known-limits.ts";
import { createSeenSizes } from "./limits/seen-sizes.ts";
import { openRecoveryMemory, type RecoveryMemory } from "./memory/recovery-memory.ts";
import { parseToolRules } from "./plan/tool-rules.ts";
import { createRecovery, type Recovery, type RecoveryOptions } from "./recovery.ts";

type OpenOptions = Pick<RecoveryOptions, "onFailed"> & {
  readonly memory?: RecoveryMemory;
  /** Whether the model works on another machine, where neither our files nor our command line are. */
  readonly isRemote?: boolean;
};

/** One recovery serves all conversations of a process, unless the caller passes the memory of a single one. */
export function openRecovery(
  { settings, store, emit, trace }: Pick<Session, "settings" | "store" | "emit"> & Partial<Pick<Session, "trace">>,
  { memory = openRecoveryMemory(store), onFailed, isRemote = false }: OpenOptions = {},
): Recovery {
  const lines = settings["overflow.limits"];
  const invalidLine = lines.find((line) => !isLimitLine(line));
  if (invalidLine !== undefined) {
    throw new SpillwayError("config_invalid", `overflow.limits cannot hold ${JSON.stringify(clip(invalidLine))}.`, {
      hint: "Write each as model=tokens, for example gpt-4o=128000.",
    });
  }
  return createRecovery({
    mode: settings["runner.enable_model_overflow_fallback"],
    preventsOverflow: settings["overflow.prevent"] === "on",
    keep: createKeep(store, emit, isRemote),
    emit,
    trace,
    headroom: settings["overflow.headroom"] / 100,
    at: settings["overflow.at"] / 100,
    rules: parseToolRules(settings["overflow.tools"]),
    written: [
      ...(settings["overflow.calls"] === "on" ? (["call"] as const) : []),
      ...(settings["overflow.pastes"] === "on" ? (["paste"] as const) : []),
    ],
    tellClient: settings["overflow.tell_client"],
    countsTokens: settings["overflow.count_tokens"] === "on",
    actsOnRateLimits: settings["overflow.rate_limits"] === "on",
    limits: { known: createKnownLimits(lines), seen: createSeenSizes() },
    memory,
    onFailed,
  });
}
