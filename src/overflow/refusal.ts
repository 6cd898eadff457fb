/** What recovery needs to know about a response that refuses a request. */
import type { Verdict } from "./classify/verdict.ts";

export type Refusal = { readonly verdict: Verdict; readonly status: number | null; readonly body: unknown };
