/** Reads archives in a child process: those whose reader is not part of Node. */
import { FailureError } from "../failure-error.ts";
import type { Engine } from "../pool/child-loop.ts";
import { listArchive, openMember } from "./list-archive.ts";

export const archiveEngine: Engine = {
  async *extract(file, options) {
    const { signal } = new AbortController();
    if (options.entry === undefined) return yield* listArchive(file, options, signal);
    try {
      const opened = await openMember(file, options.entry, signal);
      if ("paths" in opened) yield opened;
      else for await (const bytes of opened.chunks) yield { bytes: Uint8Array.from(bytes) };
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      yield { failed: { reason: error.reason, detail: error.message } };
    }
  },
};
