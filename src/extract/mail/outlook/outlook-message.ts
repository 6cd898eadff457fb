/** Reads messages of Outlook. https://learn.microsoft.com/openspecs/exchange_server_protocols/ms-oxmsg */
import { u16le, u32le } from "../../../detect/bytes.ts";
import type { Body } from "../../../detect/kind.ts";
import { type CompoundFile, type CompoundStream, openCompoundFile } from "../../compound-file/open-compound-file.ts";
import { FailureError } from "../../failure-error.ts";
import { readTime } from "../../legacy/summary.ts";
import { findCharset } from "../../rtf/rtf-charsets.ts";
import { RtfText } from "../../rtf/rtf-text.ts";
import { type MailAttachment, type Message, writeMessage } from "../message.ts";
import { decompressRtf } from "./compressed-rtf.ts";

/** Numbers of properties. */
const ids = {
  subject: "0037",
  senderName: "0c1a",
  senderAddress: "0c1f",
  senderSmtpAddress: "5d01",
  displayTo: "0e04",
  displayCc: "0e03",
  body: "1000",
  rtf: "1009",
  html: "1013",
  attachmentData: "3701",
  shortName: "3704",
  longName: "3707",
  mediaType: "370e",
} as const;

const SUBMIT_TIME = 0x0039;
const DELIVERY_TIME = 0x0e06;
const CODE_PAGE = 0x3ffd;
const INTERNET_CODE_PAGE = 0x3fde;

const MAX_TEXT_BYTES = 32 * 1024 * 1024;
const MAX_ATTACHMENT_BYTES = 512 * 1024 * 1024;
const MAX_ATTACHMENTS = 2_000;
const MAX_NESTING = 8;

/** The message in this file. */
export async function readOutlookMessage(body: Body): Promise<Message> {
  const file = await openCompoundFile(body);
  if (file.find("__properties_version1.0") === undefined)
    throw new FailureError("corrupt", "the file has no message in it");
  return readMessage(file, "", 0);
}

/** The message in a storage: the file itself, or an attached message. */
async function readMessage(file: CompoundFile, folder: string, depth: number): Promise<Message> {
  const fixed = await readFixed(file, folder, depth === 0 ? 32 : 24);
  const charset = findCharset(fixed.number(CODE_PAGE) ?? 1252);
  const text = (id: string) => readText(file, folder, id, charset);
  const [name, smtp, address] = [
    await text(ids.senderName),
    await text(ids.senderSmtpAddress),
    await text(ids.senderAddress),
  ];
  const mail = smtp || (address.includes("@") ? address : "");
  const html = await readHtml(file, folder, findCharset(fixed.number(INTERNET_CODE_PAGE) ?? 65001));
  const plain = await text(ids.body);
  return {
    subject: await text(ids.subject),
    from: mail === "" || mail === name ? name || mail : `${name} <${mail}>`.trim(),
    to: await text(ids.displayTo),
    cc: await text(ids.displayCc),
    date: fixed.time(SUBMIT_TIME) || fixed.time(DELIVERY_TIME),
    text: plain === "" && html === "" ? await readRtf(file, folder) : plain,
    html,
    attachments: await readAttachments(file, folder, charset, depth),
  };
}

/** Properties of fixed size are in one table, after a header. */
async function readFixed(file: CompoundFile, folder: string, headerBytes: number) {
  const stream = file.find(`${folder}__properties_version1.0`);
  const bytes = stream === undefined ? new Uint8Array() : await file.read(stream, 0, 1024 * 1024);
  const find = (id: number): number | undefined => {
    for (let at = headerBytes; at + 16 <= bytes.length; at += 16) if (u16le(bytes, at + 2) === id) return at;
    return undefined;
  };
  return {
    number(id: number): number | undefined {
      const at = find(id);
      return at === undefined ? undefined : u32le(bytes, at + 8);
    },
    time: (id: number): string => readTime(bytes, find(id), 8),
  };
}

function findProperty(file: CompoundFile, folder: string, id: string, type: string): CompoundStream | undefined {
  return file.find(`${folder}__substg1.0_${id}${type}`);
}

/** A text in UTF-16, or in the code page of the message. */
async function readText(file: CompoundFile, folder: string, id: string, charset: string): Promise<string> {
  const wide = findProperty(file, folder, id, "001f");
  const stream = wide ?? findProperty(file, folder, id, "001e");
  if (stream === undefined) return "";
  const bytes = await file.read(stream, 0, MAX_TEXT_BYTES);
  return new TextDecoder(wide ? "utf-16le" : charset).decode(bytes).replace(/\0+$/, "").trim();
}

async function readHtml(file: CompoundFile, folder: string, charset: string): Promise<string> {
  const stream = findProperty(file, folder, ids.html, "0102");
  if (stream === undefined) return readText(file, folder, ids.html, charset);
  return new TextDecoder(charset).decode(await file.read(stream, 0, MAX_TEXT_BYTES));
}

async function readRtf(file: CompoundFile, folder: string): Promise<string> {
  const stream = findProperty(file, folder, ids.rtf, "0102");
  if (stream === undefined) return "";
  const source = decompressRtf(await file.read(stream, 0, MAX_TEXT_BYTES), MAX_TEXT_BYTES);
  const text = new RtfText();
  text.write(Buffer.from(source).toString("latin1"));
  return text.end();
}

/** Attachments with data, and attached messages as text. */
async function readAttachments(
  file: CompoundFile,
  folder: string,
  charset: string,
  depth: number,
): Promise<MailAttachment[]> {
  const attachments: MailAttachment[] = [];
  for (const storage of listStorages(file, folder)) {
    const name =
      (await readText(file, storage, ids.longName, charset)) || (await readText(file, storage, ids.shortName, charset));
    const mediaType = (await readText(file, storage, ids.mediaType, charset)) || "application/octet-stream";
    const data = findProperty(file, storage, ids.attachmentData, "0102");
    if (data)
      attachments.push({
        name,
        mediaType,
        sizeBytes: data.sizeBytes,
        read: () => file.read(data, 0, MAX_ATTACHMENT_BYTES),
      });
    else attachments.push(...(await readAttachedMessage(file, storage, depth)));
  }
  return attachments;
}

function listStorages(file: CompoundFile, folder: string): string[] {
  const pattern = /^__attach_version1\.0_#[0-9a-f]+\//i;
  const storages = file.streams.flatMap(({ path }) =>
    path.startsWith(folder) ? (pattern.exec(path.slice(folder.length)) ?? []).map((found) => folder + found) : [],
  );
  return [...new Set(storages)].sort().slice(0, MAX_ATTACHMENTS);
}

async function readAttachedMessage(file: CompoundFile, storage: string, depth: number): Promise<MailAttachment[]> {
  const folder = `${storage}__substg1.0_${ids.attachmentData}000D/`;
  if (depth >= MAX_NESTING || file.find(`${folder}__properties_version1.0`) === undefined) return [];
  const message = await readMessage(file, folder, depth + 1);
  const bytes = Buffer.from(writeMessage(message, ""));
  const name = `${message.subject || "message"}.md`;
  return [{ name, mediaType: "text/markdown", sizeBytes: bytes.length, read: async () => bytes }];
}
