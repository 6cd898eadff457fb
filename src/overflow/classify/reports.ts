/** Reads an error body through its wrappings: nested JSON, JSON inside strings, Python reprs, SSE frames, prose. */
import { parseEmbeddedValues } from "./literals.ts";
import { removeMarkup } from "./markup.ts";

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
  /** HTTP statuses that it names, the outermost first: a gateway reports the one of its upstream. */
  readonly statuses: readonly number[];
};

type Draft = {
  messages: string[];
  codes: string[];
  params: string[];
  fields: Map<string, number>;
  statuses: number[];
};

/** Real wrappings are at most four levels deep; the rest protects against hostile ones. */
const MAX_DEPTH = 8;
const MAX_BODY_CHARS = 64 * 1024;
const MAX_ITEMS = 32;
const MAX_PREFIX_CHARS = 200;
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
const statusKey = /^(?:http_?|upstream_?|provider_?)?(?:status|code|status_?code)$/i;

const isErrorStatus = (status: number): boolean => status >= 400 && status < 600;

/** `400 {...}`, `Error code: 429 - ...`, `upstream returned status 413`: clients and gateways put it before the message. */
const statusPrefix =
  /(?:^\W*|\b(?:code|status|http|error|returned|exception)\b[\s:=(]{1,3})([45]\d\d)(?=[^\d\w,.]{1,4}(?!tokens|bytes|char)[\w{<])/gi;

function namedStatuses(prose: string): number[] {
  return [...prose.slice(0, MAX_PREFIX_CHARS).matchAll(statusPrefix)].map(([, status]) => Number(status));
}

/** Reads an error body. The work is bounded for a body of any length or depth. */
export function readReport(body: unknown): Report {
  const draft: Draft = { messages: [], codes: [], params: [], fields: new Map(), statuses: [] };
  if (typeof body === "string") readText(removeMarkup(body.slice(0, MAX_BODY_CHARS)), draft, 0);
  else walk(body, draft, 0);
  return draft;
}

function readText(text: string, draft: Draft, depth: number): void {
  if (depth > MAX_DEPTH || text.trim() === "") return;
  const { prose, values } = parseEmbeddedValues(text);
  draft.statuses.push(...namedStatuses(values.length > 0 ? `${prose.trimEnd()} {` : prose));
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
  if (statusKey.test(key) && isErrorStatus(Number(value))) draft.statuses.push(Number(value));
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
