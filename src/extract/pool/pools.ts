/** The pools of this process, each created on first use. */
import { defaultSettings, type Settings } from "../../config/settings.ts";
import type { Limits } from "../handler.ts";
import { findChildScript } from "./child-script.ts";
import { createPool, type Pool } from "./pool.ts";

/** `parse` reads files. Reading poor pages again and OCR need more memory and time, so they have their own children. */
export type Purpose = "parse" | "second" | "ocr";

type LimitSettings = Pick<Settings, "extract.memory_bytes" | "extract.cpu" | "extract.wall" | "extract.children">;

/** The limits that the settings set for reading one file. */
export function readChildLimits(settings: LimitSettings): Limits {
  return {
    memoryBytes: settings["extract.memory_bytes"],
    cpuMs: settings["extract.cpu"],
    wallMs: settings["extract.wall"],
    children: settings["extract.children"],
  };
}

const pools = new Map<string, Pool>();

/** How long an idle child is kept. */
const IDLE_MS = 60_000;

/** The pool for a purpose under these limits. */
export function getPool(purpose: Purpose, limits: Limits = readChildLimits(defaultSettings)): Pool {
  const key = JSON.stringify([purpose, limits]);
  const existing = pools.get(key);
  if (existing) return existing;
  if (pools.size === 0) process.once("exit", closeAll);
  const children = purpose === "parse" ? limits.children : 1;
  const pool = createPool({ script: findChildScript(), children, limits, idleMs: IDLE_MS });
  pools.set(key, pool);
  return pool;
}

function closeAll(): void {
  for (const pool of pools.values()) pool.close();
}
