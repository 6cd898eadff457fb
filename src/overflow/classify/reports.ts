/** Reads an error body through its wrappings: nested JSON, JSON inside strings, Python reprs, SSE frames, prose. */
import { parseEmbeddedValues } from "./literals.ts";

/** What an error body says, at any depth. */
export type Report = {
  /** Sentences meant for a reader. */
  readonly messages: readonly string[];
  /** Identifiers: codes, types, exception names. */
  readonly codes: readonly string[];
  /** Names of parameters the provider points at. */
  readonly params: readonly string[];
  /** Numeric fields by name. */
  readonly fields: ReadonlyMap<string, number>;
};

type Draft = { messages: string[]; codes: string[]; params: string[]; fields: Map<string, number> };

/** Real wrappings are at most four levels deep; the rest protects against hostile ones. */
const MAX_DEPTH = 8;
const MAX_BODY_CHARS = 64 * 1024;
const MAX_ITEMS = 32;
const MAX_KEYS = 64;

/** Keys whose text a model, a tool or the caller wrote: the error only quotes it. */
const quotedKey =
  /^(content|contents|text|delta|choices|candidates|output|messages|input|inputs|prompt|arguments|completion)$/i;
const messageKey =
  /^(message|msg|error|errors|detail|details|reason|raw|body|cause|title|hint)$|message$|msg$|description$/i;
/** Keys under which a gateway passes on an upstream response. Only JSON is read there: it may also be a model's text. */
const upstreamKey = /^(response|responseBody|upstream\w*|original\w*|inner\w*)$/i;
const codeKey = /^(code|type|status|name|reason|error_?type|error_?code|__type|object|subcode)$/i;
const paramKey = /^(param|parameter|loc|path|field)$/i;

/** Reads an error body. The work is bounded for a body of any length or depth. */
export function readReport(body: unknown): Report {
  const draft: Draft = { messages: [], codes: [], params: [], fields: new Map() };
  if (typeof body === "string") readText(removeScripts(body.slice(0, MAX_BODY_CHARS)), draft, 0);
  else walk(body, draft, 0);
  return draft;
}

/** Scripts and styles of an error page are not addressed to anyone. One that does not end takes the rest with it. */
function removeScripts(text: string): string {
  const opening = /<(script|style)\b/gi;
  let [kept, offset] = ["", 0];
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    kept += `${text.slice(offset, match.index)} `;
    const closing = new RegExp(`</${match[1]}\\s*>`, "gi");
    closing.lastIndex = match.index;
    if (closing.exec(text) === null) return kept;
    offset = opening.lastIndex = closing.lastIndex;
  }
  return kept + text.slice(offset);
}

function readText(text: string, draft: Draft, depth: number): void {
  if (depth > MAX_DEPTH || text.trim() === "") return;
  const { prose, values } = parseEmbeddedValues(text);
  if (/[\p{L}\p{N}]/u.test(prose)) draft.messages.push(prose);
  for (const value of values) walk(value, draft, depth + 1);
}

function walk(value: unknown, draft: Draft, depth: number): void {
  if (depth > MAX_DEPTH || value === null) return;
  if (typeof value === "string") readText(value, draft, depth);
  if (Array.isArray(value)) for (const item of value.slice(0, MAX_ITEMS)) walk(item, draft, depth + 1);
  if (typeof value !== "object" || Array.isArray(value)) return;
  for (const [key, inner] of Object.entries(value).slice(0, MAX_KEYS)) readField(key, inner, draft, depth);
}

function readField(key: string, value: unknown, draft: Draft, depth: number): void {
  if (quotedKey.test(key)) return;
  if (/exception$|error$/i.test(key) && typeof value === "object") draft.codes.push(key);
  if (typeof value === "number") draft.fields.set(key, value);
  else if (paramKey.test(key)) readParam(value, draft, depth);
  else if (typeof value === "string" && codeKey.test(key)) readCode(value, draft, depth);
  else if (typeof value === "string" && messageKey.test(key)) readText(value, draft, depth);
  else if (typeof value === "string" && upstreamKey.test(key) && /^\s*[{[]/.test(value)) readText(value, draft, depth);
  else if (typeof value === "object") walk(value, draft, depth + 1);
}

/** One gateway puts the whole sentence into `param`. */
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
