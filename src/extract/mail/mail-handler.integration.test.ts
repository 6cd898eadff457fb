import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeDocuments } from "../../../test/fixtures-documents.ts";
import { handlerContract, keep, run, segmentsOf } from "../handler.contract.ts";
import { mail } from "./mail-handler.ts";
import { splitMailbox } from "./mailbox.ts";
import { foldQuotes } from "./quotes.ts";

const documents = makeDocuments();
const [letter, box] = ["letter.eml", "box.mbox"].map((name) => documents.get(name) ?? assert.fail(name)) as [
  Buffer,
  Buffer,
];

handlerContract(mail, [
  { name: "a mail with an attachment", kind: "text", mediaType: "message/rfc822", bytes: letter },
  { name: "a mail that is cut", kind: "text", mediaType: "message/rfc822", bytes: letter.subarray(0, 900) },
  { name: "a mailbox", kind: "text", mediaType: "application/mbox", bytes: box },
]);

async function readMail(source: string): Promise<string> {
  await using kept = await keep({ kind: "text", mediaType: "message/rfc822", bytes: Buffer.from(source) });
  return segmentsOf(await run(mail, kept.file))
    .map(({ text }) => text)
    .join("");
}

describe("a mail", () => {
  test("of HTML only is read as Markdown", async () => {
    const text = await readMail("Subject: Plan\nContent-Type: text/html\n\n<h2>Berths</h2><ul><li>One</li></ul>");
    assert.match(text, /^# Plan\n\n## Berths\n\n- One/);
  });

  test("whose plain part only says that it is HTML is read from the HTML part", async () => {
    const html = `<p>${"The harbour is closed in May. ".repeat(10)}</p>`;
    const part = (type: string, body: string) => `--b\nContent-Type: ${type}\n\n${body}\n`;
    const source = `Content-Type: multipart/alternative; boundary=b\n\n${part("text/plain", "Use an HTML reader.")}${part("text/html", html)}--b--\n`;
    const text = await readMail(source);
    assert.match(text, /closed in May/);
    assert.doesNotMatch(text, /HTML reader/);
  });

  test("lists attachments of one name under different names", async () => {
    const part = 'Content-Type: text/plain\nContent-Disposition: attachment; filename="a/b.txt"\n\nx\n';
    const text = await readMail(`Content-Type: multipart/mixed; boundary=b\n\n--b\n${part}--b\n${part}--b--\n`);
    assert.match(text, /- a_b\.txt \(2 B, text\/plain\)\n- a_b \(2\)\.txt \(2 B/);
  });
});

describe("quoted history", () => {
  const quote = Array.from({ length: 20 }, () => "> The earlier words of another person.").join("\n");

  test("moves below a heading of its own", () => {
    assert.match(foldQuotes(`New words.\n\n${quote}`), /^New words\.\n\n## Earlier messages\n\n> The earlier/);
    const original = `-----Original Message-----\nFrom: Ada\n${"Old words. ".repeat(40)}`;
    assert.match(foldQuotes(`New words.\n${original}`), /^New words\.\n\n## Earlier messages\n\n-----Original/);
  });

  test("stays where an answer is written between quotes, or where it is short", () => {
    for (const body of [`${quote}\nYes, gladly.`, "Yes.\n> Shall we?", quote]) assert.equal(foldQuotes(body), body);
  });
});

describe("a mailbox", () => {
  const separator = "From a@example.org Fri May  8 09:30:00 2026\n";

  async function split(text: string, chunkBytes: number): Promise<string[]> {
    const bytes = Buffer.from(text);
    async function* chunks() {
      for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
    }
    return Array.fromAsync(splitMailbox(chunks(), 1_000), (mailBytes) => Buffer.from(mailBytes).toString());
  }

  test("is split alike, however its bytes arrive", async () => {
    const text = `${separator}Subject: 1\n\nFrom the quay\n\n${separator}Subject: 2\n\nb\n`;
    for (const chunkBytes of [1, 7, 1_000])
      assert.deepEqual(await split(text, chunkBytes), ["Subject: 1\n\nFrom the quay\n\n", "Subject: 2\n\nb\n"]);
  });

  test("with a line of many megabytes takes time in proportion to it", async () => {
    const cpuFor = async (megabytes: number): Promise<number> => {
      const start = process.cpuUsage();
      await split(`${separator}${"x".repeat(megabytes * 1024 * 1024)}`, 64 * 1024);
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    await cpuFor(2);
    const [once, fourfold] = [await cpuFor(8), await cpuFor(32)];
    assert.ok(fourfold < Math.max(once, 20_000) * 12, `${once} and ${fourfold} microseconds`);
  });
});
