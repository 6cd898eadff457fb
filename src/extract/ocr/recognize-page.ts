/** Recognises pages in a child process, one job each, within the time that one call may spend. */

import { defaultSettings } from "../../config/settings.ts";
import {
  type ExtractItem,
  type Failure,
  type HandlerOptions,
  isRetryableFailure,
  type LocalFile,
  type OcrOptions,
} from "../handler.ts";
import { getPool, readChildLimits } from "../pool/pools.ts";

/** The text of a page or image, or why it has none. */
export type Recognition = { readonly text: string } | { readonly failed: Failure };

/** Recognises pages of one file for one call. */
export type PageRecognizer = {
  /** The page counted from 0, or the image. */
  recognize(index: number): Promise<Recognition>;
  /** Whether the call's time is used up; the first page always has time. */
  isTimeUp(): boolean;
};

/** `engine` draws or decodes the picture. */
export function createPageRecognizer(
  engine: "scan" | "ocr",
  file: LocalFile,
  options: HandlerOptions & { readonly ocr: OcrOptions },
  signal: AbortSignal,
): PageRecognizer {
  const { ocr, limits = readChildLimits(defaultSettings) } = options;
  const pool = getPool("ocr", { ...limits, cpuMs: ocr.pageCpuMs });
  let startedAt: number | undefined;
  return {
    isTimeUp: () => startedAt !== undefined && performance.now() - startedAt >= ocr.callMs,

    async recognize(index) {
      startedAt ??= performance.now();
      const items = pool.run({ engine, file, options: { ...options, from: index } }, signal);
      const [item] = await Array.fromAsync(items);
      if (item && "segment" in item) return { text: item.segment.text };
      return { failed: item && "failed" in item ? item.failed : { reason: "interrupted", detail: "" } };
    },
  };
}

/** Whether another attempt with the same settings may succeed, so that the failure must not be stored. */
export function isPassingFailure(failure: Failure): boolean {
  return isRetryableFailure(failure) && failure.reason !== "too_slow" && failure.reason !== "too_large";
}

/** Says that the call's time is used up, and how to read on. */
export function pauseBefore(page: number, pageCount: number, { callMs }: OcrOptions): ExtractItem {
  const seconds = Math.round(callMs / 1_000);
  return {
    paused: `OCR used the ${seconds} s of one call (setting ocr.time) and stopped before page ${page} of ${pageCount}: read pages=${page}- to continue.`,
  };
}
