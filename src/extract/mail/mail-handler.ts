/** The mail handler: the headers that matter, the readable body first, attachments listed and readable by entry. */
import type { Handler } from "../handler.ts";
import { openEntryInChild } from "../pool/open-entry.ts";
import { getPool } from "../pool/pools.ts";
import { text } from "../text-handler.ts";

export type MailFacts = { readonly attachmentCount: number };

export const mail: Handler<MailFacts> = {
  name: "mail",
  version: 1,
  runs: "child",
  canHandle: (_kind, mediaType) => mediaType === "message/rfc822" || mediaType === "application/mbox",
  fields: { attachment_count: "number" },
  extract: (file, options, signal) =>
    options.mode === "raw"
      ? text.extract(file, options, signal)
      : getPool("parse", options.limits).run({ engine: "mail", file, options }, signal),
  openEntry: (file, path, signal) => openEntryInChild("mail", file, path, signal),

  describe: ({ attachmentCount }) =>
    attachmentCount === undefined || attachmentCount === 0
      ? {}
      : {
          fields: { attachment_count: attachmentCount },
          warnings: ["Read an attachment with read_artifact and entry=<name>; its text and its own ref come back."],
        },
};
