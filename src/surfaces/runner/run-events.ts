/** The events of a run in progress. `--json` prints them unchanged. */
import type { RunReport } from "./run-report.ts";

/** One event, by its `type`. */
export type RunEvent =
  | {
      readonly type: "run";
      readonly run: string;
      readonly model: string;
      readonly resumed: boolean;
      readonly transcript: string;
    }
  | { readonly type: "text"; readonly step: number; readonly text: string }
  | {
      readonly type: "tool";
      readonly step: number;
      readonly call_id: string;
      readonly tool: string;
      readonly input: unknown;
      readonly chars: number;
      readonly is_error: boolean;
      readonly artifact_refs: readonly string[];
    }
  | {
      readonly type: "retry";
      readonly step: number;
      readonly attempt: number;
      readonly wait_ms: number;
      readonly reason: string;
    }
  | {
      readonly type: "step";
      readonly step: number;
      readonly tokens_in: number;
      readonly tokens_out: number;
      readonly requests: number;
      readonly finish: string;
    }
  | ({ readonly type: "summary"; readonly run: string; readonly transcript: string } & RunReport);

/** Receives the events. The run waits for it, so a slow reader loses nothing. */
export type OnRunEvent = (event: RunEvent) => Promise<void>;
