import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeCompoundFile } from "../../../../test/compound-file.ts";
import { makeOutlookMessage, rtfBody } from "../../../../test/legacy-documents.ts";
import { toBody } from "../../../acquire/spooled-body.ts";
import { FailureError } from "../../failure-error.ts";
import { decompressRtf } from "./compressed-rtf.ts";
import { readOutlookMessage } from "./outlook-message.ts";

const readMessage = (bytes: Uint8Array) => readOutlookMessage(toBody({ bytes }, bytes.length));

describe("a message of Outlook", () => {
  test("has headers, text, attachments and attached messages", async () => {
    const { attachments, ...message } = await readMessage(makeOutlookMessage());
    assert.deepEqual(message, {
      subject: "Plan of the quay",
      from: "Zoë Quay <zoe@example.org>",
      to: "Ada; Ben",
      cc: "",
      date: "2026-05-08T00:00:00.000Z",
      text: "The plan is attached.",
      html: "",
    });
    assert.deepEqual(
      attachments.map(({ name, mediaType }) => [name, mediaType]),
      [
        ["plan.csv", "text/csv"],
        ["An earlier mail.md", "text/markdown"],
      ],
    );
    const texts = await Promise.all(attachments.map(async ({ read }) => Buffer.from(await read()).toString()));
    assert.deepEqual(texts, ["berth,ship\n1,Heron\n", "# An earlier mail\n\nWhere is the plan?\n\n"]);
  });

  test("is read from its RTF if it has nothing else", async () => {
    const { text } = await readMessage(makeOutlookMessage(rtfBody("{\\rtf1 The {\\b plan} is here.}")));
    assert.equal(text.trim(), "The plan is here.");
  });

  test("is read from its HTML", async () => {
    const { html } = await readMessage(makeOutlookMessage({ "__substg1.0_10130102": Buffer.from("<p>Hé</p>") }));
    assert.equal(html, "<p>Hé</p>");
  });

  test("that is another compound file is refused", async () => {
    await assert.rejects(
      readMessage(makeCompoundFile({ other: Buffer.from("x") })),
      (error) => error instanceof FailureError && error.reason === "corrupt",
    );
  });
});

describe("compressed RTF", () => {
  test("resolves references, also into what every message shares", () => {
    // The example of the specification: "{\rtf1\ansi\ansicpg1252\pard hello world}\r\n".
    const example =
      "2d0000002b0000004c5a4675f1c5c7a703000a00726370673132354232" + "0af32068656c090020627705b06c647d0a800fa0";
    const text = Buffer.from(decompressRtf(Buffer.from(example, "hex"), 1_000)).toString("latin1");
    assert.equal(text, "{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n");
  });

  test("stops at its limit, however often references repeat", () => {
    const bomb = Buffer.concat([Buffer.alloc(16), Buffer.alloc(60_000, 0xff)]);
    bomb.writeUInt32LE(0x75465a4c, 8);
    assert.ok(decompressRtf(bomb, 5_000).length < 5_200);
  });
});
