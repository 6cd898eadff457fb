/** Bounds the memory for new objects in processes that are ours alone: servers. */
import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/**
 * V8 doubles the young generation up to 128 MB and keeps it while the process is busy. A search on a large tree takes the
 * same time with 32 MB. Only a flag of node can set a maximum; how far it grows can be changed later.
 */
const MAX_YOUNG_BYTES = 32_000_000;
const DEFAULT_GROWTH_FACTOR = 2;

/**
 * Stops the growth of the young generation where it has reached its bound, and allows it again where it has shrunk. Where
 * the user has set its size, that holds.
 */
export function boundYoungGeneration(): Disposable {
  if (isSetByUser()) return { [Symbol.dispose]: () => undefined };
  let isFull = false;
  const setFull = (full: boolean): void => {
    if (full === isFull) return;
    isFull = full;
    setFlagsFromString(`--semi-space-growth-factor=${full ? 1 : DEFAULT_GROWTH_FACTOR}`);
  };
  const observer = new PerformanceObserver(() => setFull(measureYoung() >= MAX_YOUNG_BYTES));
  observer.observe({ entryTypes: ["gc"] });
  return {
    [Symbol.dispose]() {
      observer.disconnect();
      setFull(false);
    },
  };
}

/** Whether a flag of node, on its command line or in the environment, is about the young generation. */
function isSetByUser(): boolean {
  return [...process.execArgv, process.env.NODE_OPTIONS ?? ""].some((flags) => /semi[-_]space/.test(flags));
}

/** Bytes of the young generation, used or not. */
function measureYoung(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_size ?? 0;
}
