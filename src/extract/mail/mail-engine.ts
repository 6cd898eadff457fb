/** Reads mails and mailboxes in a child process. */
import PostalMime, { type Address, type Attachment, type Email } from "postal-mime";
import { formatSize } from "../../system/quantities.ts";
import { escapePath } from "../../system/safe-names.ts";
import type { ExtractItem, LocalFile } from "../handler.ts";
import { writeWholePage } from "../html/page.ts";
import { readBytes } from "../local-file.ts";
import type { Engine } from "../pool/child-loop.ts";
import { toTextSegments } from "../text-segments.ts";
import type { MailFacts } from "./mail-handler.ts";
import { splitMailbox } from "./mailbox.ts";
import { foldQuotes } from "./quotes.ts";

/** A larger mail is read up to here; its attachments after that are lost. */
const MAX_MAIL_BYTES = 96 * 1024 * 1024;

export const mailEngine: Engine = {
  extract: (file, { from, entry }) => (entry === undefined ? readText(file, from) : readAttachment(file, entry)),
};

async function* readText(file: LocalFile, from: number): AsyncGenerator<ExtractItem<MailFacts>> {
  let attachmentCount = 0;
  let facts = {};
  const texts = async function* (): AsyncGenerator<string> {
    for await (const { email, label } of readMails(file)) {
      attachmentCount += email.attachments.length;
      if (label === "") facts = toFacts(email);
      yield writeMail(email, label);
    }
  };
  for await (const item of toTextSegments(texts(), { from, isMarkdown: true })) {
    if ("info" in item) yield { info: { ...facts, ...item.info, attachmentCount } };
    else yield item;
  }
}

async function* readAttachment(file: LocalFile, entry: string): AsyncGenerator<ExtractItem> {
  const paths: string[] = [];
  for await (const { email, label } of readMails(file)) {
    const names = listNames(email, label);
    const attachment = email.attachments[names.indexOf(entry)];
    if (attachment) return yield* inChunks(toBytes(attachment));
    if (paths.length < MAX_LISTED_PATHS) paths.push(...names);
  }
  yield { paths };
}

/** Paths named when there is no such attachment. */
const MAX_LISTED_PATHS = 1_000;

/** A message to the parent stays small. */
const CHUNK_BYTES = 1024 * 1024;

function* inChunks(bytes: Uint8Array): Generator<ExtractItem> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield { bytes: bytes.slice(at, at + CHUNK_BYTES) };
}

type LabelledMail = { readonly email: Email; readonly label: string };

/** One mail without a label, or the mails of a mailbox, numbered. */
async function* readMails(file: LocalFile): AsyncGenerator<LabelledMail> {
  const bytes = readBytes(file, new AbortController().signal);
  if (file.mediaType !== "application/mbox") {
    yield { email: await parse(await gather(bytes)), label: "" };
    return;
  }
  let number = 0;
  for await (const mail of splitMailbox(bytes, MAX_MAIL_BYTES)) {
    number++;
    yield { email: await parse(mail), label: `mail ${number}` };
  }
}

const parse = (bytes: Uint8Array): Promise<Email> => new PostalMime({ maxNestingDepth: 32 }).parse(bytes);

async function gather(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    total += chunk.length;
    if (total > MAX_MAIL_BYTES) break;
  }
  return Buffer.concat(parts).subarray(0, MAX_MAIL_BYTES);
}

function toFacts({ subject, from, date }: Email) {
  const author = from === undefined ? "" : writeAddress(from);
  return { ...(subject && { title: subject }), ...(author !== "" && { author }), ...(date && { date }) };
}

function writeMail(email: Email, label: string): string {
  const subject = (email.subject ?? "").replaceAll(/\s+/g, " ").trim() || "(no subject)";
  const headers = [
    ["From", email.from === undefined ? "" : writeAddress(email.from)],
    ["To", (email.to ?? []).map(writeAddress).join(", ")],
    ["Cc", (email.cc ?? []).map(writeAddress).join(", ")],
    ["Date", email.date ?? ""],
  ];
  const names = listNames(email, label);
  const attachments = email.attachments.map((attachment, index) => `- ${names[index]} (${describe(attachment)})`);
  return [
    `# ${label === "" ? "" : `${label}: `}${subject}`,
    headers.flatMap(([name, value]) => (value === "" ? [] : [`${name}: ${value}`])).join("\n"),
    attachments.length === 0 ? "" : `Attachments:\n${attachments.join("\n")}`,
    foldQuotes(readBody(email)),
  ]
    .filter((part) => part !== "")
    .join("\n\n")
    .concat("\n\n");
}

/** The plain text, unless it only says that the mail is HTML. */
function readBody({ text = "", html }: Email): string {
  const plain = text.trim();
  if (html === undefined) return plain;
  const written = writeWholePage(html, { mode: "markdown" }).text.trim();
  return plain.length >= written.length * MIN_PLAIN_SHARE && plain !== "" ? plain : written;
}

/** A plain part shorter than this share of the HTML part is a notice, not the mail. */
const MIN_PLAIN_SHARE = 0.3;

/** The entries of the attachments: their file names, made unique. */
function listNames({ attachments }: Email, label: string): string[] {
  const seen = new Map<string, number>();
  return attachments.map(({ filename, mimeType }) => {
    const given = filename ?? `attachment.${mimeType.split("/")[1] ?? "bin"}`;
    const name = escapePath(given.replaceAll(/[/\\]+/g, "_"));
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    const unique = count === 1 ? name : name.replace(/(\.[^.]*)?$/, ` (${count})$1`);
    return label === "" ? unique : `${label}/${unique}`;
  });
}

const describe = (attachment: Attachment): string =>
  `${formatSize(toBytes(attachment).length)}, ${attachment.mimeType}`;

function toBytes({ content }: Attachment): Uint8Array {
  if (typeof content === "string") return Buffer.from(content);
  return content instanceof Uint8Array ? content : new Uint8Array(content);
}

function writeAddress(address: Address): string {
  if (address.group !== undefined) return `${address.name}: ${address.group.map(writeAddress).join(", ")}`;
  return address.name === "" ? address.address : `${address.name} <${address.address}>`;
}
