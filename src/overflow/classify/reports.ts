/** Digs the words of an error out of its wrappings: nested JSON, JSON inside strings, Python reprs, SSE frames, prose. */
import { embeddedValues } from "./literals.ts";

/** What an error body says, wherever it says it. */
export type Report = {
  /** Sentences meant for a reader. */
  readonly messages: readonly string[];
  /** Short machine words: codes, types, exception names. */
  readonly codes: readonly string[];
  /** Names of parameters the provider points at. */
  readonly params: readonly string[];
  /** Numbers given as fields of their own, by name. */
  readonly fields: ReadonlyMap<string, number>;
};

type Draft = { messages: string[]; codes: string[]; params: string[]; fields: Map<string, number> };

/** Wrappings seen in the wild go four deep; hostile ones end here. */
const deepest = 8;
const longestBody = 64 * 1024;

/** Keys whose text a model, a tool or the caller wrote: an error quoting them is not saying it. */
const quoted =
  /^(content|contents|text|delta|choices|candidates|output|messages|input|inputs|prompt|arguments|completion)$/i;
const messageKey =
  /^(message|msg|error|errors|detail|details|reason|raw|body|cause|title|hint)$|message$|msg$|description$/i;
/** Keys under which a gateway hands on what it got; only JSON is read there, for a model's text may stand there too. */
const handedOn = /^(response|responseBody|upstream\w*|original\w*|inner\w*)$/i;
const codeKey = /^(code|type|status|name|reason|error_?type|error_?code|__type|object|subcode)$/i;
const paramKey = /^(param|parameter|loc|path|field)$/i;

/** Everything an error body says. A body of any length or depth is read in bounded work. */
export function readReport(body: unknown): Report {
  const draft: Draft = { messages: [], codes: [], params: [], fields: new Map() };
  if (typeof body === "string") readText(body.slice(0, longestBody), draft, 0);
  else walk(body, draft, 0);
  return draft;
}

function readText(text: string, draft: Draft, depth: number): void {
  if (depth > deepest || text.trim() === "") return;
  const { prose, values } = embeddedValues(text);
  if (/[\p{L}\p{N}]/u.test(prose)) draft.messages.push(prose);
  for (const value of values) walk(value, draft, depth + 1);
}

function walk(value: unknown, draft: Draft, depth: number): void {
  if (depth > deepest || value === null) return;
  if (typeof value === "string") readText(value, draft, depth);
  if (Array.isArray(value)) for (const item of value.slice(0, 32)) walk(item, draft, depth + 1);
  if (typeof value !== "object" || Array.isArray(value)) return;
  for (const [key, inner] of Object.entries(value).slice(0, 64)) readField(key, inner, draft, depth);
}

function readField(key: string, value: unknown, draft: Draft, depth: number): void {
  if (quoted.test(key)) return;
  if (/exception$|error$/i.test(key) && typeof value === "object") draft.codes.push(key);
  if (typeof value === "number") draft.fields.set(key, value);
  else if (paramKey.test(key)) readParam(value, draft, depth);
  else if (typeof value === "string" && codeKey.test(key)) readCode(value, draft, depth);
  else if (typeof value === "string" && messageKey.test(key)) readText(value, draft, depth);
  else if (typeof value === "string" && handedOn.test(key) && /^\s*[{[]/.test(value)) readText(value, draft, depth);
  else if (typeof value === "object") walk(value, draft, depth + 1);
}

/** One relay puts the whole sentence into `param`. */
function readParam(value: unknown, draft: Draft, depth: number): void {
  if (Array.isArray(value)) draft.params.push(value.join("."));
  else if (typeof value === "string" && value.trim().includes(" ")) readText(value, draft, depth);
  else if (typeof value === "string" && value !== "" && value !== "None") draft.params.push(value);
}

/** A code is one word; a sentence under the same key is a message. */
function readCode(value: string, draft: Draft, depth: number): void {
  if (/\s/.test(value.trim())) readText(value, draft, depth);
  else if (value !== "") draft.codes.push(value);
}
