/** The mail handler: the headers that matter, the readable body first, attachments listed and readable by entry. */
import type { Handler } from "../handler.ts";
import { openEntryInChild } from "../pool/open-entry.ts";
import { runEngine } from "../pool/run-engine.ts";
import { text } from "../text-handler.ts";

const mediaTypes: ReadonlySet<string> = new Set(["message/rfc822", "application/mbox", "application/vnd.ms-outlook"]);

export type MailFacts = { readonly attachmentCount: number };

export const mail: Handler<MailFacts> = {
  name: "mail",
  version: 1,
  runs: "child",
  canHandle: (_kind, mediaType) => mediaTypes.has(mediaType),
  extract: (file, options, signal) =>
    options.mode === "raw" ? text.extract(file, options, signal) : runEngine("mail", file, options, signal),
  openEntry: (file, path, signal, limits) => openEntryInChild("mail", file, path, { signal, limits }),

  describe: ({ attachmentCount = 0 }) => (attachmentCount === 0 ? {} : { entryName: "attachment" }),
};
