/** Makes spans. The one that is running is the parent of those that begin inside of it. */
import { AsyncLocalStorage } from "node:async_hooks";
import { SpillwayError } from "../../errors.ts";
import { clip } from "../../system/safe-names.ts";
import type { Attributes, SpanStart, Trace } from "../spans.ts";
import { makeChildContext, readTraceContext, type TraceContext } from "./trace-context.ts";

/** A span that has ended. */
export type FinishedSpan = {
  readonly context: TraceContext;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: NonNullable<SpanStart["kind"]>;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
};

export type TracerOptions = {
  /** Called with each span when it ends, whether or not its trace is sampled. */
  onEnd(span: FinishedSpan): void;
  /** The time in milliseconds since 1970, with fractions. */
  readonly now?: () => number;
};

/** Names of tools, models and hosts may be a stranger's words. */
const MAX_TEXT_CHARS = 200;

export function createTracer({ onEnd, now = preciseNow }: TracerOptions): Trace {
  const running = new AsyncLocalStorage<TraceContext>();
  return async (makeStart, work) => {
    const { name, kind = "internal", carrier, attributes: given = {} } = makeStart();
    const parent = readTraceContext(carrier) ?? running.getStore();
    const context = makeChildContext(parent);
    const attributes: Record<string, string | number | boolean> = {};
    const span = { set: (more: Attributes) => addAttributes(attributes, more) };
    span.set(given);
    const startMs = now();
    try {
      return await running.run(context, () => work(span));
    } catch (error) {
      span.set({ "error.type": error instanceof SpillwayError ? error.code : errorName(error) });
      throw error;
    } finally {
      const endMs = Math.max(startMs, now());
      onEnd({
        ...{
          context,
          parentSpanId: parent?.spanId,
          name: clip(name, MAX_TEXT_CHARS),
          kind,
          startMs,
          endMs,
          attributes,
        },
      });
    }
  };
}

/** A message could hold a URL or a path; the name of an error cannot. */
const errorName = (error: unknown): string => (error instanceof Error ? error.name : "_OTHER");

function addAttributes(attributes: Record<string, string | number | boolean>, more: Attributes): void {
  for (const [name, value] of Object.entries(more)) {
    if (value === null || value === undefined || (typeof value === "number" && !Number.isFinite(value))) continue;
    attributes[name] = typeof value === "string" ? clip(value, MAX_TEXT_CHARS) : value;
  }
}

const preciseNow = (): number => performance.timeOrigin + performance.now();
