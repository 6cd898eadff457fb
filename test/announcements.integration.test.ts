/** A source that is not what it was announced as says so: in the fetch, in every later read, on every surface. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openCli } from "./cli.ts";
import { openMcp } from "./mcp.ts";
import { drawLine, writePdf } from "./pdf.ts";
import { startServer } from "./server.ts";

const login =
  "<!doctype html><title>Sign in</title><h1>Sign in</h1><form><input type=password></form><p>Members only.</p>";
const garbage = Uint8Array.from({ length: 3_000 }, (_, index) => (index * index * 31 + 200 + (index >> 3)) & 255);
const gif = Buffer.from("R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=", "base64");
const docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const pdf = writePdf([{ content: drawLine("A real document.", 72, 700) }]);
const loginPage = "it is a web page, often a login or error page.";

type Row = {
  readonly type: string;
  readonly body: string | Uint8Array;
  readonly warning: string | null;
  readonly error?: string;
  readonly content?: RegExp;
};

const rows: Readonly<Record<string, Row>> = {
  "a login page as PDF": { type: "application/pdf", body: login, warning: loginPage, content: /Members only/ },
  "an empty PDF": { type: "application/pdf", body: "", warning: "it is empty.", error: "PDF: not a PDF" },
  "garbage as PDF": {
    type: "application/pdf",
    body: garbage,
    warning: "its format is unknown.",
    error: "PDF: not a PDF",
  },
  "a message as PDF": {
    type: "application/pdf",
    body: "Not found",
    warning: "it is text/plain.",
    content: /Not found/,
  },
  "JSON as PDF": { type: "application/pdf", body: '{"error":1}', warning: "it is application/json.", content: /error/ },
  "a login page as JSON": { type: "application/json", body: login, warning: loginPage, content: /Members only/ },
  "a login page as a feed": { type: "application/rss+xml", body: login, warning: loginPage, content: /Members only/ },
  "blanks as PDF": {
    type: "application/pdf",
    body: " \n\t\n ",
    warning: "it is blank.",
    error: "PDF: not a PDF",
  },
  "a login page as image": { type: "image/png", body: login, warning: loginPage, content: /Members only/ },
  "a login page as archive": { type: "application/zip", body: login, warning: loginPage, content: /Members only/ },
  "a login page as Word document": { type: docx, body: login, warning: loginPage, content: /Members only/ },
  "an empty Word document": {
    type: docx,
    body: "",
    warning: "it is empty.",
    error: "Word document: not a Word document",
  },
  "a login page as video": { type: "video/mp4", body: login, warning: loginPage, content: /Members only/ },
  "a PDF as image": { type: "image/png", body: pdf, warning: "it is a PDF.", content: /A real document/ },
  "a PDF as PDF": { type: "application/pdf", body: pdf, warning: null, content: /A real document/ },
  "a PDF as text": { type: "text/plain", body: pdf, warning: null, content: /A real document/ },
  "a page as page": { type: "text/html", body: login, warning: null, content: /Members only/ },
  "text as unknown": { type: "application/octet-stream", body: "Plain words.", warning: null, content: /Plain words/ },
  "text as something new": { type: "application/x-notes", body: "Plain words.", warning: null, content: /Plain words/ },
};

describe("a response announced and sent:", () => {
  for (const [name, { type, body, warning, error, content }] of Object.entries(rows)) {
    test(name, async () => {
      await using server = await startServer((_, response) => {
        response.writeHead(200, { "content-type": type }).end(body);
      });
      await using cli = await openCli();
      const env = { SPILLWAY_NETWORK_ALLOW: server.allow };
      const fetched = JSON.parse((await cli.run(["fetch", `${server.origin}/x`, "--json"], { env })).out);
      const read = JSON.parse((await cli.run(["read", fetched.artifact_ref, "--json"], { env })).out);
      for (const fields of [fetched, read]) {
        const sentence = fields.warnings.find((each: string) => each.includes("announced"));
        assert.equal(sentence, warning === null ? undefined : `The server announced ${type}, but ${warning}`);
        assert.equal(fields.error, error && `Failed to extract text from ${error}`);
        if (content) assert.match(fields.content, content);
      }
    });
  }
});

describe("a file whose name says", () => {
  const files = [
    { name: "paper.pdf", body: login, sentence: `Its name says application/pdf, but ${loginPage}` },
    { name: "paper.pdf", body: "", sentence: "Its name says application/pdf, but it is empty." },
    { name: "fakegif.pdf", body: gif, sentence: "Its name says application/pdf, but it is image/gif." },
    { name: "noise.docx", body: garbage, sentence: `Its name says ${docx}, but its format is unknown.` },
    { name: "blank.pdf", body: "  \n \n", sentence: "Its name says application/pdf, but it is blank." },
    { name: "data.json", body: login, sentence: `Its name says application/json, but ${loginPage}` },
    { name: "drawing.svg", body: "<svg xmlns='http://www.w3.org/2000/svg'><text>x</text></svg>", sentence: undefined },
    // Extensions of documents that are used for text as well.
    { name: "server.key", body: "-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----\n", sentence: undefined },
    { name: "graph.dot", body: "digraph { a -> b }\n", sentence: undefined },
    { name: "page.html", body: login, sentence: undefined },
  ];
  for (const { name, body, sentence } of files) {
    test(`${name} and has ${body.length} characters`, async () => {
      await using cli = await openCli();
      await cli.write(name, body);
      const [{ warnings }] = await cli.json("fetch", name);
      assert.equal(
        warnings.find((each: string) => each.startsWith("Its name")),
        sentence,
      );
    });
  }
});

describe("over MCP", () => {
  test("a login page in place of a PDF is named in the text, and an encrypted PDF is read with its password", async () => {
    const secret = writePdf([{ content: drawLine("Sealed words", 72, 700) }], { userPassword: "open sesame" });
    await using server = await startServer(({ url }, response) => {
      response.writeHead(200, { "content-type": "application/pdf" }).end(url === "/secret" ? secret : login);
    });
    await using mcp = await openMcp();
    const client = await mcp.client("2025-11-25", {
      env: { SPILLWAY_NETWORK_ALLOW: server.allow, SPILLWAY_MCP_FORM: "both" },
    });
    const call = async (name: string, input: Record<string, unknown>) => {
      const { content, structuredContent } = await client.callTool({ name, arguments: input });
      return { text: JSON.stringify(content), fields: structuredContent as Record<string, unknown> };
    };
    const page = await call("web_fetch", { url: `${server.origin}/paper` });
    assert.match(page.text, /The server announced application\/pdf, but it is a web page/);
    const sealed = await call("web_fetch", { url: `${server.origin}/secret` });
    assert.match(sealed.text, /Failed to extract text from PDF: password required/);
    assert.match(sealed.text, /call read_artifact with its artifact_ref and the parameter password/);
    const { artifact_ref } = sealed.fields;
    const opened = await call("read_artifact", { artifact_ref, password: "open sesame" });
    assert.match(opened.text, /Sealed words/);
  });
});
