/** Opens recovery on a session: uses its store, its settings and its event log. */
import { SpillwayError } from "../errors.ts";
import type { Session } from "../session/session.ts";
import { clip } from "../system/safe-names.ts";
import { createKeep } from "./keep-part.ts";
import { createKnownLimits, isLimitLine } from "./known-limits.ts";
import { createRecovery, type Recovery, type RecoveryOptions } from "./recovery.ts";
import { createStickyStubs, type StickyStubs } from "./sticky-stubs.ts";

/** One recovery serves all conversations of a process, unless the caller passes the stubs of a single one. */
export function openRecovery(
  { settings, store, emit }: Pick<Session, "settings" | "store" | "emit">,
  {
    sticky = createStickyStubs(),
    onFailed,
  }: Pick<RecoveryOptions, "onFailed"> & { readonly sticky?: StickyStubs } = {},
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
    keep: createKeep(store, emit),
    emit,
    limits: createKnownLimits(lines),
    sticky,
    onFailed,
  });
}
