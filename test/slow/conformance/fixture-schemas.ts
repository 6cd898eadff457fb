/** Schemas of the conformance suite's tools and forms. */
import type { ElicitRequestFormParams } from "@modelcontextprotocol/server";

/** A form with one field of text. */
export function nameForm(message: string, field: string): ElicitRequestFormParams {
  return {
    message,
    requestedSchema: { type: "object", properties: { [field]: { type: "string" } }, required: [field] },
  };
}

/** A default for each primitive type (SEP-1034). */
export const formWithDefaults: ElicitRequestFormParams = {
  message: "Check these values.",
  requestedSchema: {
    type: "object",
    properties: {
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    },
    required: [],
  },
};

const options = ["option1", "option2", "option3"];
const titledOptions = [
  { const: "value1", title: "First Option" },
  { const: "value2", title: "Second Option" },
  { const: "value3", title: "Third Option" },
];

/** Each form of a choice (SEP-1330). */
export const enumForm: ElicitRequestFormParams = {
  message: "Choose.",
  requestedSchema: {
    type: "object",
    properties: {
      untitledSingle: { type: "string", enum: options },
      titledSingle: { type: "string", oneOf: titledOptions },
      legacyEnum: {
        type: "string",
        enum: ["opt1", "opt2", "opt3"],
        enumNames: ["Option One", "Option Two", "Option Three"],
      },
      untitledMulti: { type: "array", items: { type: "string", enum: options } },
      titledMulti: { type: "array", items: { anyOf: titledOptions } },
    },
    required: [],
  },
};

const noArguments = { type: "object" as const };
const oneText = (name: string) => ({
  type: "object" as const,
  properties: { [name]: { type: "string" } },
  required: [name],
});

/** Keywords of JSON Schema 2020-12, which a listing has to keep (SEP-1613, SEP-2106). */
const schemaOf2020 = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object" as const,
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  additionalProperties: false,
  // As JSON: in an object of ours, `then` would look like the method of a promise.
  ...JSON.parse(
    `{ "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
       "then": { "required": ["phone"] }, "else": { "required": ["email"] } }`,
  ),
};

export function schemaOfTool(name: string) {
  if (name === "json_schema_2020_12_tool") return schemaOf2020;
  if (name === "test_sampling") return oneText("prompt");
  return name === "test_elicitation" ? oneText("message") : noArguments;
}
