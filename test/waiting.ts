/** How tests wait: for a condition, or for everything that is ready to happen. Never for a time. */
import assert from "node:assert/strict";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import type { Settings } from "../src/config/settings.ts";

/** Settings for searches that wait for their index, however busy the machine is. */
export const patientSearch = { "search.wait": 60_000, "search.refresh_wait": 60_000 } satisfies Partial<Settings>;

const CHECK_INTERVAL_MS = 10;
/** Far more than a busy machine needs. */
const MAX_WAIT_MS = 60_000;

/** Checks again and again until the condition holds; fails if it never does. */
export async function waitUntil(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let check = 0; check * CHECK_INTERVAL_MS < MAX_WAIT_MS; check++) {
    if (await isTrue()) return;
    await pause(CHECK_INTERVAL_MS);
  }
  assert.fail(`This never happened: ${what}.`);
}

/** More than any step needs whose events are all in this process. */
const TURNS = 50;

/** Lets everything in this process happen that is ready to happen. */
export async function letEventsHappen(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await nextTurn();
}
