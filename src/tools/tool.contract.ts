/** What every tool promises, as tests. A new tool calls this suite and runs them all. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type ClientProfile, type ReplyForm, unknownClient } from "../config/clients.ts";
import { defaultSettings } from "../config/settings.ts";
import { listClientLimits } from "../fit/budget.ts";
import { listShownForms } from "../fit/fit-reply.ts";
import { MAX_GET_CONTENT_CHARS, OVERHEAD_CHARS } from "../fit/limits.ts";
import { openSession } from "../session/session.ts";
import { callTool, type ToolReply } from "./call-tool.ts";
import { type Field, type FieldType, inputSchema, type JsonSchema } from "./parameters.ts";
import type { Tool, ToolSession } from "./tool.ts";

/** A call that the tool answers without an error. */
export type ToolSample = { readonly name: string; readonly input: unknown };

/** Tests every promise of a tool, with a session in memory. Samples are calls that must succeed. */
export function toolContract(tool: Tool, samples: readonly ToolSample[] = []): void {
  describe(`the ${tool.name} tool`, () => {
    test("describes itself and its parameters briefly", () => {
      assert.match(tool.name, /^[a-zA-Z0-9_-]{1,64}$/);
      assert.ok(tool.about.length < MAX_ABOUT_CHARS && tool.title.length < MAX_TITLE_CHARS);
      assert.equal(inputSchema(tool.input).type, "object");
      for (const [name, { about }] of Object.entries(tool.input)) {
        assert.ok(about.endsWith(".") && about.length < MAX_PARAMETER_CHARS, name);
      }
    });

    test("answers input it cannot use with an error and what to do", async () => {
      await using session = await openContractSession();
      for (const input of unusableInputs(tool)) assertError(tool, await callTool(tool, input, session), input);
    });

    const required = Object.keys(tool.input).filter((name) => tool.input[name]?.required);
    const sentence = required.length === 0 ? "answers a call without parameters" : `asks for ${required.join(", ")}`;
    test(sentence, async () => {
      await using session = await openContractSession();
      for (const input of [undefined, null, "", {}, [], { no_such_parameter: 1 }]) {
        const reply = await callTool(tool, input, session);
        assertReply(tool, reply);
        if (required.length > 0) assertError(tool, reply, input);
      }
    });

    for (const { name, input } of samples) {
      test(`${name}: succeeds, and fits any client and turn`, async () => {
        await using session = await openContractSession();
        for (const surface of surfaces) {
          const reply = await callTool(tool, input, { ...session, ...surface });
          assert.equal(reply.isError, false, reply.text);
          assertReply(tool, reply);
          assertFits(reply, surface.client);
        }
      });
    }
  });
}

const MAX_ABOUT_CHARS = 1_000;
const MAX_TITLE_CHARS = 40;
const MAX_PARAMETER_CHARS = 160;
const MAX_ERROR_CHARS = 1_000;

/** A session in memory below a folder of its own, which is deleted with the test. */
async function openContractSession(): Promise<ToolSession & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), "spillway-tool-"));
  const session = await openSession({ settings: defaultSettings, cwd: folder, confined: true, inMemory: true });
  return {
    ...session,
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

/** Input that is not an object, and each parameter with a value it cannot take. */
function unusableInputs({ input }: Tool): unknown[] {
  return [7, "x", ["x"], ...Object.entries(input).map(([name, field]) => ({ [name]: wrongValue(field) }))];
}

const wrongValues: Readonly<Record<FieldType, unknown>> = {
  text: {},
  integer: "x",
  choice: "no such choice",
  flag: "perhaps",
  list: [{}],
};

const wrongValue = ({ type }: Field): unknown => wrongValues[type];

const forms: readonly ReplyForm[] = ["text", "structured", "both"];
const limits: readonly ClientProfile["limit"][] = [{ chars: 3_000 }, { bytes: 7_000 }, { tokens: 2_000 }];

const surfaces: readonly Pick<ToolSession, "client">[] = [
  {},
  { client: unknownClient },
  ...forms.flatMap((form) => limits.map((limit) => ({ client: { name: "narrow", form, limit } }))),
];

function assertError(tool: Tool, reply: ToolReply, input: unknown): void {
  const { text, structured, isError } = reply;
  assert.ok(isError && text.includes("\n") && text.length < MAX_ERROR_CHARS, `${JSON.stringify(input)}: ${text}`);
  assert.ok("error" in structured && "hint" in structured);
  assertReply(tool, reply);
}

function assertReply({ name, output }: Tool, { text, blocks, structured }: ToolReply): void {
  assert.ok(text.length > 0 && text.length <= MAX_GET_CONTENT_CHARS + OVERHEAD_CHARS && text.isWellFormed());
  assert.equal(blocks.map((block) => block.text).join(""), text);
  assertMatches(output, JSON.parse(JSON.stringify(structured)), name);
}

function assertFits(reply: ToolReply, client: ClientProfile | undefined): void {
  for (const form of listShownForms(reply, client)) {
    assert.ok(form.length <= (client?.unaskedChars ?? Infinity), `${form.length} characters for an unknown client`);
    for (const { unit, max, measure } of listClientLimits(client?.limit)) {
      assert.ok(measure(form) <= max, `${measure(form)} ${unit} of at most ${max}`);
    }
  }
}

/** Checks the keywords that output schemas use; a field that is not declared is a failure. */
function assertMatches(schema: JsonSchema, value: unknown, path: string): void {
  if (Array.isArray(schema.anyOf)) {
    assert.ok(
      schema.anyOf.some((each) => matches(each, value, path)),
      `${path} matches none of its types`,
    );
    return;
  }
  assert.equal(typeOf(value, schema.type), schema.type ?? typeOf(value, undefined), path);
  if (Array.isArray(value)) for (const item of value) assertMatches(schemaIn(schema.items), item, `${path}[]`);
  else if (typeof value === "object" && value !== null) assertProperties(schema, value, path);
}

function matches(schema: JsonSchema, value: unknown, path: string): boolean {
  try {
    assertMatches(schema, value, path);
    return true;
  } catch {
    return false; // The caller reports that no alternative matched.
  }
}

function assertProperties(schema: JsonSchema, value: object, path: string): void {
  const properties = schemaIn(schema.properties);
  for (const name of Array.isArray(schema.required) ? schema.required : []) assert.ok(name in value, `${path}.${name}`);
  for (const [name, item] of Object.entries(value)) {
    if (Object.hasOwn(properties, name)) assertMatches(schemaIn(properties[name]), item, `${path}.${name}`);
    else assert.ok(schema.additionalProperties === true || !schema.properties, `${path}.${name} is not declared`);
  }
}

const schemaIn = (value: unknown): JsonSchema => (typeof value === "object" && value !== null ? { ...value } : {});

/** The JSON type of a value; a whole number is an integer where one is asked for. */
function typeOf(value: unknown, expectedType: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return expectedType === "integer" && Number.isInteger(value) ? "integer" : typeof value;
}
