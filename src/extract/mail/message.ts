/** A mail in one form, whatever format it came in, and how it is written. */
import { formatSize } from "../../system/quantities.ts";
import { escapePath } from "../../system/safe-names.ts";
import type { DocumentFacts } from "../handler.ts";
import { writeWholePage } from "../html/page.ts";
import { foldQuotes } from "./quotes.ts";

export type Message = {
  readonly subject: string;
  readonly from: string;
  readonly to: string;
  readonly cc: string;
  readonly date: string;
  /** The plain text; empty if there is none. */
  readonly text: string;
  readonly html: string;
  readonly attachments: readonly MailAttachment[];
};

export type MailAttachment = {
  readonly name: string | undefined;
  readonly mediaType: string;
  readonly sizeBytes: number;
  read(): Promise<Uint8Array>;
};

export function toFacts({ subject, from, date }: Message): DocumentFacts {
  return { ...(subject && { title: subject }), ...(from && { author: from }), ...(date && { date }) };
}

/** Subject, headers that matter, attachments, body. In a mailbox a label such as `mail 3` comes first. */
export function writeMessage(message: Message, label: string): string {
  const subject = message.subject.replaceAll(/\s+/g, " ").trim() || "(no subject)";
  const headers = [
    ["From", message.from],
    ["To", message.to],
    ["Cc", message.cc],
    ["Date", message.date],
  ];
  const paths = listPaths(message, label);
  const attachments = message.attachments.map(
    ({ sizeBytes, mediaType }, index) => `- ${paths[index]} (${formatSize(sizeBytes)}, ${mediaType})`,
  );
  return [
    `# ${label === "" ? "" : `${label}: `}${subject}`,
    headers.flatMap(([name, value]) => (value === "" ? [] : [`${name}: ${value}`])).join("\n"),
    attachments.length === 0 ? "" : `Attachments:\n${attachments.join("\n")}`,
    foldQuotes(chooseBody(message)),
  ]
    .filter((part) => part !== "")
    .join("\n\n")
    .concat("\n\n");
}

/** A plain part shorter than this share of the HTML part is a notice, not the mail. */
const MIN_PLAIN_SHARE = 0.3;

/** The plain text, unless it only says that the mail is HTML. */
function chooseBody({ text, html }: Message): string {
  const plain = text.trim();
  if (html === "") return plain;
  const written = writeWholePage(html, { mode: "markdown" }).text.trim();
  return plain.length >= written.length * MIN_PLAIN_SHARE && plain !== "" ? plain : written;
}

/** The entries of the attachments: their file names on one line, made unique. */
export function listPaths({ attachments }: Message, label: string): string[] {
  const seen = new Map<string, number>();
  return attachments.map(({ name, mediaType }) => {
    const given = name || `attachment.${mediaType.split("/")[1] ?? "bin"}`;
    const safe = escapePath(given.replaceAll(/[/\\]+/g, "_"));
    const count = (seen.get(safe) ?? 0) + 1;
    seen.set(safe, count);
    const unique = count === 1 ? safe : safe.replace(/(\.[^.]*)?$/, ` (${count})$1`);
    return label === "" ? unique : `${label}/${unique}`;
  });
}
