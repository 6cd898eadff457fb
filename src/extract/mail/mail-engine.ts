/** Reads mails, mailboxes and Outlook messages in a child process. */
import { toBody } from "../../acquire/spooled-body.ts";
import { FailureError } from "../failure-error.ts";
import type { ExtractItem, LocalFile } from "../handler.ts";
import { readBytes } from "../local-file.ts";
import type { Engine } from "../pool/child-loop.ts";
import { toTextSegments } from "../text-segments.ts";
import type { MailFacts } from "./mail-handler.ts";
import { splitMailbox } from "./mailbox.ts";
import { listPaths, type Message, toFacts, writeMessage } from "./message.ts";

/** A larger mail is read up to here; its attachments after that are lost. */
const MAX_MAIL_BYTES = 96 * 1024 * 1024;

export const mailEngine: Engine = {
  async *extract(file, { from, entry }) {
    try {
      yield* entry === undefined ? readText(file, from) : readAttachment(file, entry);
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      yield { failed: { reason: error.reason, detail: error.message } };
    }
  },
};

async function* readText(file: LocalFile, from: number): AsyncGenerator<ExtractItem<MailFacts>> {
  let attachmentCount = 0;
  let facts = {};
  const texts = async function* (): AsyncGenerator<string> {
    for await (const { message, label } of readMessages(file)) {
      attachmentCount += message.attachments.length;
      if (label === "") facts = toFacts(message);
      yield writeMessage(message, label);
    }
  };
  for await (const item of toTextSegments(texts(), { from, isMarkdown: true })) {
    if ("info" in item) yield { info: { ...facts, ...item.info, attachmentCount } };
    else yield item;
  }
}

async function* readAttachment(file: LocalFile, entry: string): AsyncGenerator<ExtractItem> {
  const paths: string[] = [];
  for await (const { message, label } of readMessages(file)) {
    const listed = listPaths(message, label);
    const attachment = message.attachments[listed.indexOf(entry)];
    if (attachment) return yield* inChunks(await attachment.read());
    if (paths.length < MAX_LISTED_PATHS) paths.push(...listed);
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

type LabelledMessage = { readonly message: Message; readonly label: string };

/** One mail without a label, or the mails of a mailbox, numbered. */
async function* readMessages(file: LocalFile): AsyncGenerator<LabelledMessage> {
  if (file.mediaType === "application/vnd.ms-outlook") {
    const { readOutlookMessage } = await import("./outlook/outlook-message.ts");
    yield { message: await readOutlookMessage(toBody(file.content, file.sizeBytes)), label: "" };
    return;
  }
  const { readMimeMessage } = await import("./mime-message.ts");
  const bytes = readBytes(file, new AbortController().signal);
  if (file.mediaType !== "application/mbox") {
    yield { message: await readMimeMessage(await gather(bytes)), label: "" };
    return;
  }
  let number = 0;
  for await (const mail of splitMailbox(bytes, MAX_MAIL_BYTES)) {
    number++;
    yield { message: await readMimeMessage(mail), label: `mail ${number}` };
  }
}

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
