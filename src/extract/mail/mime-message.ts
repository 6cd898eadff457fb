/** Reads one mail as it is sent over the Internet. */
import PostalMime, { type Address, type Attachment } from "postal-mime";
import type { MailAttachment, Message } from "./message.ts";

const MAX_NESTING = 32;

/** The mail in these bytes. */
export async function readMimeMessage(bytes: Uint8Array): Promise<Message> {
  const mail = await new PostalMime({ maxNestingDepth: MAX_NESTING }).parse(bytes);
  return {
    subject: mail.subject ?? "",
    from: mail.from === undefined ? "" : writeAddress(mail.from),
    to: (mail.to ?? []).map(writeAddress).join(", "),
    cc: (mail.cc ?? []).map(writeAddress).join(", "),
    date: mail.date ?? "",
    text: mail.text ?? "",
    html: mail.html ?? "",
    attachments: mail.attachments.map(toAttachment),
  };
}

function toAttachment({ filename, mimeType, content }: Attachment): MailAttachment {
  const bytes = toBytes(content);
  return { name: filename ?? undefined, mediaType: mimeType, sizeBytes: bytes.length, read: async () => bytes };
}

function toBytes(content: Attachment["content"]): Uint8Array {
  if (typeof content === "string") return Buffer.from(content);
  return content instanceof Uint8Array ? content : new Uint8Array(content);
}

function writeAddress(address: Address): string {
  if (address.group !== undefined) return `${address.name}: ${address.group.map(writeAddress).join(", ")}`;
  return address.name === "" ? address.address : `${address.name} <${address.address}>`;
}
