/** Stores recognised pages one by one, because each took seconds: another choice of pages reuses them. */
import { type Objects, readObject } from "../../artifacts/objects.ts";
import type { Info, PageNote, Segment } from "../handler.ts";
import type { NumberRange } from "../number-range.ts";

/** A page with what is known about its document. */
export type RecognizedPage = { readonly segment: Segment; readonly note: PageNote; readonly info: Info };

/** The recognised pages of one document. */
export type RecognizedPages = {
  /** Those in the ranges, in order. */
  list(ranges: readonly NumberRange[]): AsyncGenerator<RecognizedPage>;
  put(page: RecognizedPage): Promise<void>;
};

/** The prefix names everything the text depends on. */
export function openRecognizedPages(objects: Objects, prefix: string): RecognizedPages {
  const keyPrefix = `${prefix}page-`;
  return {
    async *list(ranges) {
      for (const { key } of await Array.fromAsync(objects.list(keyPrefix))) {
        const number = Number(key.slice(keyPrefix.length));
        if (!ranges.some(({ first, last }) => number >= first && number <= (last ?? Infinity))) continue;
        const page = parsePage(await readObject(objects, key));
        if (page !== undefined) yield page;
      }
    },
    async put(page) {
      const key = `${keyPrefix}${String(page.segment.index + 1).padStart(10, "0")}`;
      await objects.put(key, Buffer.from(JSON.stringify(page)), { durable: false });
    },
  };
}

/** A damaged page is recognised again. */
function parsePage(json: Buffer | undefined): RecognizedPage | undefined {
  try {
    const page = JSON.parse(json?.toString("utf8") ?? "") as RecognizedPage;
    return typeof page.segment.text === "string" ? page : undefined;
  } catch {
    return undefined;
  }
}
