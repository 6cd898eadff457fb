/** The pools of this process, each made when it is first needed. */
import { defaultSettings, type Settings } from "../../config/settings.ts";
import type { Limits } from "../handler.ts";
import { createPool, type Pool } from "./pool.ts";

/** Parsing, and the second opinion on pages that did not come out well: hungrier, so in children of its own. */
export type Purpose = "parse" | "second";

type LimitSettings = Pick<Settings, "extract.memory_bytes" | "extract.cpu" | "extract.wall" | "extract.children">;

/** What the settings allow one file. */
export function limitsOf(settings: LimitSettings): Limits {
  return {
    memoryBytes: settings["extract.memory_bytes"],
    cpuMs: settings["extract.cpu"],
    wallMs: settings["extract.wall"],
    children: settings["extract.children"],
  };
}

const pools = new Map<string, Pool>();

/** How long a child waits for the next file before it leaves. */
const idleMs = 60_000;

/** Beside its source the child is a .ts file, in the published package a .js file. */
const script = new URL(import.meta.url.endsWith(".ts") ? "./child.ts" : "./child.js", import.meta.url);

/** The pool for a purpose under these limits. */
export function poolFor(purpose: Purpose, limits: Limits = limitsOf(defaultSettings)): Pool {
  const key = JSON.stringify([purpose, limits]);
  const known = pools.get(key);
  if (known) return known;
  if (pools.size === 0) process.once("exit", closeAll);
  const pool = createPool({ script, children: purpose === "parse" ? limits.children : 1, limits, idleMs });
  pools.set(key, pool);
  return pool;
}

function closeAll(): void {
  for (const pool of pools.values()) pool.close();
}
