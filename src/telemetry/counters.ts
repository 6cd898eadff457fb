/** The counters of a process, summed over its events. */
import type { Event, EventFields } from "./events.ts";

type Counters = EventFields["run.summary"];

export function createCounters() {
  let utilizationSum = 0;
  const sums = { bytes_in: 0, chars_extracted: 0, chars_out: 0, replies: 0, truncations: 0 };

  function addReply({ returned_chars, limit_chars, truncated }: ReplySize): void {
    sums.chars_out += returned_chars;
    sums.replies += 1;
    sums.truncations += truncated ? 1 : 0;
    utilizationSum += limit_chars > 0 ? returned_chars / limit_chars : 0;
  }

  return {
    add(event: Event): void {
      if (event.event === "ingest.completed") {
        sums.bytes_in += event.size_bytes;
        sums.chars_extracted += event.extracted_chars;
      }
      if (event.event === "ingest.completed" || event.event === "artifact.read") addReply(event);
    },
    read: (): Counters => ({
      ...sums,
      utilization_avg: sums.replies === 0 ? 0 : Number((utilizationSum / sums.replies).toFixed(4)),
    }),
  };
}

type ReplySize = { readonly returned_chars: number; readonly limit_chars: number; readonly truncated: boolean };
