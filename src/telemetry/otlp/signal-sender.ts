/** Sends one signal to its collector. After a failure it waits, longer each time, so that a collector that is gone costs little. */
import type { OtlpTarget } from "./otlp-options.ts";

export type PostResult = { readonly status: number; readonly retryAfterMs?: number | undefined; readonly text: string };

/** Posts JSON. Throws where no answer arrives. */
export type Post = (target: OtlpTarget, json: string, signal: AbortSignal) => Promise<PostResult>;

/** Why something was not exported. */
export type ExportProblem = {
  readonly signal: "traces" | "metrics";
  /** The collector's origin. */
  readonly endpoint: string;
  /** The collector's status, the system's error code, or `rejected`. */
  readonly code: string;
};

export type SenderOptions = {
  readonly signal: "traces" | "metrics";
  readonly target: OtlpTarget;
  readonly post: Post;
  readonly timeoutMs: number;
  readonly now: () => number;
  /** Called once until the collector answers again. */
  report(problem: ExportProblem): void;
};

/** `later`: not accepted now, and worth another try. */
export type SendOutcome = "accepted" | "refused" | "later";

export type SignalSender = {
  /** Whether the collector has failed so recently that nothing is sent. */
  isWaiting(): boolean;
  send(json: string, signal?: AbortSignal): Promise<SendOutcome>;
};

const MIN_WAIT_MS = 1_000;
const MAX_WAIT_MS = 5 * 60 * 1_000;

/** The statuses that the protocol calls retryable. */
const retryable = [429, 502, 503, 504];

export function createSignalSender({ signal, target, post, timeoutMs, now, report }: SenderOptions): SignalSender {
  let failures = 0;
  let waitsUntil = 0;

  function fail(code: string, retryAfterMs = 0): void {
    if (failures === 0) report({ signal, endpoint: new URL(target.url).origin, code });
    const waitMs = Math.min(MAX_WAIT_MS, MIN_WAIT_MS * 2 ** failures);
    waitsUntil = now() + Math.min(MAX_WAIT_MS, Math.max(waitMs, retryAfterMs));
    failures++;
  }

  return {
    isWaiting: () => now() < waitsUntil,
    async send(json, ending) {
      const deadline = AbortSignal.timeout(timeoutMs);
      try {
        const result = await post(target, json, ending === undefined ? deadline : AbortSignal.any([deadline, ending]));
        const isAccepted = result.status >= 200 && result.status < 300;
        if (!isAccepted) fail(String(result.status), result.retryAfterMs);
        else if (hasRejected(result.text)) fail("rejected");
        else [failures, waitsUntil] = [0, 0];
        if (isAccepted) return "accepted";
        return retryable.includes(result.status) ? "later" : "refused";
      } catch (error) {
        fail(deadline.aborted ? "timeout" : codeOf(error));
        return "later";
      }
    },
  };
}

/** The number is a decimal string. Warnings without a number are for the collector's own log. */
const hasRejected = (text: string): boolean => /"rejected(?:Spans|DataPoints)"\s*:\s*"?[1-9]/.test(text);

function codeOf(error: unknown): string {
  for (let each = error; each instanceof Error; each = each.cause)
    if ("code" in each && typeof each.code === "string") return each.code;
  return "unreachable";
}
