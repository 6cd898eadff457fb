import assert from "node:assert/strict";
import { test } from "node:test";
import { readMarkup } from "../../detect/text/markup.ts";
import { handlerContract } from "../handler.contract.ts";
import { openapi } from "./openapi-handler.ts";
import { writeApi } from "./write-api.ts";

const api = {
  openapi: "3.1.0",
  info: { title: "Weir", version: "2", description: "Opens weirs." },
  servers: [{ url: "https://weir.example/v2" }],
  paths: {
    "/gates/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
      get: {
        summary: "Read a gate",
        parameters: [{ name: "deep", in: "query", schema: { type: "boolean" } }],
        responses: { 200: { content: { "application/json": { schema: { $ref: "#/components/schemas/Gate" } } } } },
      },
      post: {
        deprecated: true,
        requestBody: { content: { "application/json": { schema: { type: "array", items: { $ref: "#/x/Gate" } } } } },
        responses: { 204: { description: "Raised" } },
      },
    },
  },
  components: {
    schemas: {
      Gate: {
        type: "object",
        required: ["level"],
        properties: { level: { type: "number" }, state: { enum: ["up", "down"] } },
      },
    },
  },
};

const asApi = (source: string) =>
  ({ kind: "text", mediaType: "application/vnd.oai.openapi+json", bytes: Buffer.from(source) }) as const;

handlerContract(openapi, [
  { name: "a description", ...asApi(JSON.stringify(api)) },
  { name: "a description that is cut", ...asApi(JSON.stringify(api).slice(0, 200)) },
  { name: "a description of nothing", ...asApi('{"openapi": "3.0.0"}') },
]);

test("an API is written as its operations, with what they take and return", () => {
  assert.deepEqual(writeApi(api), {
    title: "Weir 2",
    markdown: [
      "# Weir 2",
      "Opens weirs.",
      "Servers: https://weir.example/v2",
      "## Operations",
      "### GET /gates/{id}\nRead a gate\n- takes: id: integer (path), deep?: boolean (query)\n- returns: 200 Gate",
      "### POST /gates/{id}\n(deprecated)\n- takes: id: integer (path)\n- body: Gate[]\n- returns: 204 Raised",
      "## Schemas",
      '- **Gate**: { level: number, state?: "up" or "down" }\n',
    ].join("\n\n"),
  });
});

test("a schema that contains itself ends", () => {
  const schema: Record<string, unknown> = { type: "object" };
  schema.properties = { next: schema };
  assert.match(writeApi({ definitions: { Loop: schema } }).markdown, /Loop\*\*: \{ next\?: /);
});

test("a value that is nested deeply is named only", () => {
  const value: unknown = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
  const { markdown } = writeApi({ definitions: { Deep: { enum: [value, { a: 1 }, "up", null] } } });
  assert.match(markdown, /- \*\*Deep\*\*: a list or an object or "up" or null\n$/);
});

test("a description is recognised by how it begins", () => {
  assert.equal(readMarkup('{\n  "openapi" : "3.1.0",')?.mediaType, "application/vnd.oai.openapi+json");
  assert.equal(readMarkup('{"swagger":"2.0"')?.mediaType, "application/vnd.oai.openapi+json");
  assert.equal(readMarkup('{"openapi": {"a": 1}}')?.mediaType, "application/json");
});
