/** Classifies a provider's response: was the request refused because of its size, and what are the figures? */
import {
  type Channel,
  type Finish,
  findChannel,
  findEventChannel,
  type ProviderResponse,
  readFinish,
} from "./channel.ts";
import { omitUndefined, readFigures } from "./figures.ts";
import { splitSentences, toConcepts } from "./lexicon.ts";
import { MAX_MESSAGE_CHARS } from "./message-text.ts";
import { findNamedPart, type NamedPart } from "./named-parts.ts";
import type { Report } from "./reports.ts";
import type { Figures, LimitUnit, OverflowClass, Verdict } from "./verdict.ts";
import { findWording, type Wording } from "./wordings.ts";

/** An HTTP response, one event of a stream, or the end of a successful response. */
export type Classifiable = ProviderResponse | { readonly streamEvent: unknown } | { readonly finish: unknown };

/** The class of a response with its figures. Text that a model or a tool wrote is never read. */
export function classify(response: Classifiable): Verdict {
  const channel = channelFor(response);
  if (channel.kind === "finish") return verdictOfFinish(channel.finish);
  return channel.kind === "error" ? verdictOfError(channel.report, channel.status) : notAnError;
}

const notAnError: Verdict = { class: "other", confidence: 1 };

function channelFor(response: Classifiable): Channel {
  if ("streamEvent" in response) return findEventChannel(response.streamEvent);
  if ("finish" in response) return { kind: "finish", finish: readFinish(response.finish) };
  return findChannel(response);
}

function verdictOfFinish(finish: Finish): Verdict {
  if (finish === "window" || finish === "empty") return { class: "context_tokens", confidence: 0.9, unit: "tokens" };
  return finish === "output" ? { class: "output_limit", confidence: 0.9, unit: "tokens" } : notAnError;
}

/** What every step may use. */
type Evidence = {
  readonly status: number | undefined;
  readonly report: Report;
  readonly text: string;
  /** The concepts of each sentence of the text. */
  readonly concepts: readonly string[];
  readonly figures: Figures;
};

type Opinion = { readonly class: OverflowClass; readonly confidence: number; readonly path?: string };

/** The first step with an opinion decides. */
function verdictOfError(report: Report, responseStatus: number | undefined): Verdict {
  const status = report.statuses.at(-1) ?? responseStatus;
  const text = report.messages.join("\n").slice(0, MAX_MESSAGE_CHARS);
  const concepts = splitSentences(text).map(toConcepts);
  const evidence = { status, report, text, concepts, figures: readFigures(report, status) };
  const opinion =
    judgeByCode(evidence, namesWindowOrRequest) ??
    vetoByStatus(evidence) ??
    vetoByWords(evidence) ??
    judgeByCode(evidence, anyCode) ??
    judgeByPath(evidence) ??
    judgeByWording(evidence) ??
    judgeByStatus(evidence);
  return opinion ? toVerdict(opinion, evidence) : { class: "other", confidence: 0.8 };
}

/** Whether a sentence has this concept. */
function mentions(concepts: readonly string[], concept: string): boolean {
  return concepts.some((sentence) => sentence.split(" ").includes(concept));
}

/** `token_limit_exceeded` may be an allowance; a code that names what was exceeded is enough alone. */
const namesWindowOrRequest = /context|window|prompt|input|ctx|request|payload|body|entity/i;
const anyCode = /(?:)/;

/** A code is the provider's own classification: `context_length_exceeded`, or other words for the same. */
function judgeByCode({ report, text, concepts }: Evidence, codePattern: RegExp): Opinion | undefined {
  for (const code of report.codes.filter((one) => codePattern.test(one))) {
    const codeClass = findWording(code.replaceAll("_", " "))?.class;
    if (codeClass === "context_tokens") return { class: codeClass, confidence: 0.98 };
    if (codeClass === "attachment_limit") return { class: codeClass, confidence: 0.9 };
    if (codeClass === "request_bytes" && /request|payload|body|entity/i.test(code) && !mentions(concepts, "rate"))
      return { class: refineRequestBytes(text), confidence: 0.9 };
  }
  return undefined;
}

/** Providers also use `request_too_large` for the window or an attachment; then the message says so. */
function refineRequestBytes(text: string): OverflowClass {
  const textClass = findWording(text)?.class;
  return textClass === "context_tokens" || textClass === "attachment_limit" ? textClass : "request_bytes";
}

/** Statuses with a meaning of their own: login, payment, unknown resource, long address, long headers. */
const nonSizeStatuses: readonly number[] = [401, 402, 404, 405, 407, 414, 431];

function vetoByStatus({ status, text, concepts, figures }: Evidence): Opinion | undefined {
  if (status === undefined) return undefined;
  // IIS answers with this substatus of 404 when a body is over its limit.
  if (status === 404 && /\b404\.13\b/.test(text)) return { class: "request_bytes", confidence: 0.9 };
  if (status === 401 && asksToCutInput(concepts, figures)) return undefined;
  if (nonSizeStatuses.includes(status)) return { class: "other", confidence: 0.95 };
  if (status === 429 && !isMessageSize(concepts, figures)) return { class: "rate_limit", confidence: 0.95 };
  return undefined;
}

/** One provider answers 401 when the input is over the model's window. It names the window and says to cut the input. */
function asksToCutInput(concepts: readonly string[], { limit }: Figures): boolean {
  if (limit === undefined || !mentions(concepts, "window")) return false;
  return concepts.some((sentence) => /\breduce (?:\w+ )?input\b/.test(sentence));
}

/** gRPC has one status for a spent quota and for an oversized message. Counted bytes mean the message. */
function isMessageSize(concepts: readonly string[], figures: Figures): boolean {
  if (!isExceeded(figures) || mentions(concepts, "rate")) return false;
  return concepts.some((sentence) => /\bbody (?:\w+ )*?exceed\b/.test(sentence));
}

function isExceeded({ limit, actual }: Figures): boolean {
  return limit !== undefined && actual !== undefined && actual > limit;
}

type Veto = {
  readonly concept: string;
  readonly class: OverflowClass;
  readonly unless?: (evidence: Evidence) => boolean;
};

const hasActual = ({ figures }: Evidence): boolean => figures.actual !== undefined;

/** Concepts for which waiting, paying or logging in helps, but a smaller request does not. The first one decides. */
const vetoes: readonly Veto[] = [
  { concept: "money", class: "other" },
  { concept: "rate", class: "rate_limit" },
  { concept: "allowance", class: "other", unless: hasActual },
  {
    concept: "overload",
    class: "other",
    unless: ({ text, figures }) => isClearOverflow(text) && figures.limit !== undefined,
  },
  { concept: "later", class: "rate_limit", unless: ({ text }) => isClearOverflow(text) },
  { concept: "time", class: "other" },
];

function vetoByWords(evidence: Evidence): Opinion | undefined {
  const codes = evidence.report.codes.map((code) => toConcepts(splitSentences(code).join(" ")));
  const concepts = [...codes, ...evidence.concepts];
  const veto = vetoes.find(({ concept, unless }) => mentions(concepts, concept) && !unless?.(evidence));
  return veto && { class: veto.class, confidence: 0.9 };
}

/** A wording with this confidence counts without figures. */
const CLEAR_CONFIDENCE = 0.9;

/** `The prompt exceeds the context window. Shorten it and try again later.`: not a rate limit despite "later". */
function isClearOverflow(text: string): boolean {
  const wording = findWording(text);
  if (wording === undefined || wording.confidence < CLEAR_CONFIDENCE) return false;
  return wording.class === "context_tokens" || wording.class === "request_bytes";
}

/** `Invalid 'input[0].content': string too long`: the named part decides, because a name can be too long too. */
function judgeByPath({ report, text, concepts, figures }: Evidence): Opinion | undefined {
  const { limit = Infinity, actual = Infinity } = figures;
  if (hasOutputSetting(report.params) && actual > limit && !mentionsInputOrWindow(concepts))
    return { class: "output_limit", confidence: 0.85 };
  const part = findNamedPart(text, report.params);
  const isTooBig = ["toobig", "exceed", "max", "atmost", "window"].some((concept) => mentions(concepts, concept));
  return part && isTooBig ? judgeNamedPart(part, concepts, figures) : undefined;
}

const hasOutputSetting = (params: readonly string[]): boolean => params.some((name) => /^max_?\w*tokens$/i.test(name));

const mentionsInputOrWindow = (concepts: readonly string[]): boolean =>
  mentions(concepts, "input") || mentions(concepts, "window");

function judgeNamedPart(
  { holds, path }: NamedPart,
  concepts: readonly string[],
  { unit }: Figures,
): Opinion | undefined {
  if (holds === "output") return undefined;
  if (holds === "attachment") return { class: "attachment_limit", confidence: 0.93, path };
  if (holds === "setting") return { class: "other", confidence: 0.9, path };
  if (mentions(concepts, "string"))
    return { class: unit === "tokens" ? "context_tokens" : "request_bytes", confidence: 0.95, path };
  return mentions(concepts, "list") ? { class: "other", confidence: 0.8, path } : undefined;
}

function judgeByWording(evidence: Evidence): Opinion | undefined {
  if (isModelTooSmall(evidence.concepts)) return undefined;
  if (isNegativeOutput(evidence.text)) return { class: "context_tokens", confidence: 0.85 };
  const wording = findWording(evidence.text);
  if (isServerFault(evidence, wording)) return undefined;
  if (wording === undefined) return judgeByFigures(evidence);
  if (isImplausible(wording, evidence)) return undefined;
  if (wording.class === "output_limit" && isSharedWindow(evidence.concepts))
    return { class: "context_tokens", confidence: 0.9 };
  return { class: adjustToUnit(wording.class, evidence.figures), confidence: wording.confidence };
}

/** `Model context window too small, minimum is 16000`: the model was refused, not the request. */
function isModelTooSmall(concepts: readonly string[]): boolean {
  const isMinimum = concepts.some((sentence) => /\bwindow atleast\b/.test(sentence));
  return isMinimum && !mentions(concepts, "input") && !mentions(concepts, "request");
}

/** `max_tokens must be at least 1, got -186`: the server subtracted the input from its window. */
function isNegativeOutput(text: string): boolean {
  return /max\w{0,40}[ _]tokens\b[^.]{0,200}\bgot:? -\d/i.test(text);
}

/**
 * A server error may mention sizes without being about them. It counts with two figures, or with a clear wording; a
 * gateway's wording counts only together with the limit.
 */
function isServerFault({ status, figures }: Evidence, wording: Wording | undefined): boolean {
  if (status === undefined || status < 500 || isExceeded(figures)) return false;
  if (wording?.class === "attachment_limit") return false;
  if (wording === undefined || wording.confidence < CLEAR_CONFIDENCE) return true;
  const hasLimit = figures.limit !== undefined;
  if (wording.class === "context_tokens") return status !== 500 && !hasLimit;
  return status !== 500 || !hasLimit;
}

/** No model has a smaller window: `more than 1 system message` counts something else. */
const MIN_WINDOW_TOKENS = 64;

/** A string that must be shorter is a name. */
const MIN_CONTENT_CHARS = 256;

/** Whether the figures do not fit the wording, so that it is about something else. */
function isImplausible(wording: Wording, evidence: Evidence): boolean {
  const { limit, actual = 0 } = evidence.figures;
  if (limit === undefined) return wording.class === "output_limit" && wording.confidence <= 0.8;
  if (wording.class === "context_tokens") return Math.max(limit, actual) < MIN_WINDOW_TOKENS;
  return wording.class === "request_bytes" && limit < MIN_CONTENT_CHARS && unitFor(wording.class, evidence) === "chars";
}

/** Input and window are both named: the output was too much for the rest of the window. */
function isSharedWindow(concepts: readonly string[]): boolean {
  return mentions(concepts, "window") && mentions(concepts, "input");
}

/** A prompt that is counted in bytes is a request that is too large; one in tokens never is. */
function adjustToUnit(name: OverflowClass, { unit }: Figures): OverflowClass {
  if (name === "context_tokens" && (unit === "bytes" || unit === "chars")) return "request_bytes";
  return name === "request_bytes" && unit === "tokens" ? "context_tokens" : name;
}

/** Without a known wording, figures and what they count may be enough. */
function judgeByFigures(evidence: Evidence): Opinion | undefined {
  if (mentions(evidence.concepts, "absent")) return undefined;
  return (isExceeded(evidence.figures) ? judgeBySizes(evidence) : undefined) ?? judgeByLimit(evidence);
}

/** `Your prompt has 210,331 tokens. The model accepts up to 200,000.`: two figures and what they count. */
function judgeBySizes({ text, figures }: Evidence): Opinion | undefined {
  const sentences = splitSentences(text);
  const figure = new RegExp(`(?<!\\d)(?:${figures.limit}|${figures.actual})(?!\\d)`);
  const withFigures = sentences.filter((sentence) => figure.test(sentence.replace(/(?<=\d)[,_](?=\d)/g, "")));
  const concepts = (withFigures.length > 0 ? withFigures : sentences).map(toConcepts);
  const hasAny = (...names: string[]): boolean => names.some((name) => mentions(concepts, name));
  if (hasAny("string", "body")) return { class: "request_bytes", confidence: 0.85 };
  return hasAny("window", "input", "tokens", "uncut")
    ? { class: adjustToUnit("context_tokens", figures), confidence: 0.9 }
    : undefined;
}

/** `maximum input length is 8192 tokens` in the error for a refused request: the limit alone is enough. */
function judgeByLimit({ concepts, figures }: Evidence): Opinion | undefined {
  if (figures.limit === undefined) return undefined;
  if (concepts.some((sentence) => /\battach\b.*\bmax\b/.test(sentence)))
    return { class: "attachment_limit", confidence: 0.75 };
  if (/\boutput\b.*\batmost\b/.test(concepts.join(" ")) && !mentionsInputOrWindow(concepts))
    return { class: "output_limit", confidence: 0.75 };
  if (!concepts.some((sentence) => /\bwindow\b|\bmax\b.*\binput\b/.test(sentence))) return undefined;
  return { class: adjustToUnit("context_tokens", figures), confidence: 0.75 };
}

/** 413 does not say what was too large: the body, unless the words said otherwise. */
function judgeByStatus({ status }: Evidence): Opinion | undefined {
  return status === 413 ? { class: "request_bytes", confidence: 0.7 } : undefined;
}

function toVerdict(opinion: Opinion, evidence: Evidence): Verdict {
  const path = opinion.path ?? findNamedPart(evidence.text, evidence.report.params)?.path;
  const isSingle = opinion.class === "rate_limit" && isSingleRequest(evidence);
  return {
    class: opinion.class,
    confidence: opinion.confidence,
    ...withoutImplausibleLimit(opinion, figuresFor(opinion, evidence)),
    ...(path === undefined ? {} : { path }),
    ...(isSingle ? { subclass: "tpm_single_request" } : {}),
  };
}

/** An implausible limit is dropped. What the message says stays. */
function withoutImplausibleLimit({ class: name }: Opinion, figures: Figures): Figures {
  const { limit, ...others } = figures;
  return name === "context_tokens" && limit !== undefined && limit < MIN_WINDOW_TOKENS ? others : figures;
}

/** Waiting does not help a request that alone is larger than the minute's allowance. */
function isSingleRequest({ text, figures }: Evidence): boolean {
  return /request too large/i.test(text) || isExceeded(figures);
}

/** No service has a smaller limit for a body; a smaller number counts something else. */
const MIN_BODY_BYTES = 1_024;

/** The figures that mean something for this class, in its usual unit where the message names none. */
function figuresFor({ class: name, path }: Opinion, evidence: Evidence): Figures {
  if (name === "other" && path === undefined) return {};
  const { limit, lowerBound, input, output, actual } = evidence.figures;
  const unit = unitFor(name, evidence);
  if (name === "request_bytes" && unit === "bytes" && limit !== undefined && limit < MIN_BODY_BYTES) return { unit };
  return omitUndefined({
    limit,
    lowerBound,
    actual: actualFor(name, evidence.figures),
    input: name === "context_tokens" ? input : undefined,
    // What exceeds an output limit is the requested output.
    output: output ?? (name === "output_limit" ? actual : undefined),
    unit,
  });
}

/** The size of the request, unless the number is too small for a body or counts only the output. */
function actualFor(name: OverflowClass, { limit, actual, input, output }: Figures): number | undefined {
  const isTooSmall = name === "request_bytes" && limit === undefined && (actual ?? 0) < MIN_BODY_BYTES;
  const isOnlyOutput = name === "context_tokens" && input === undefined && actual === output;
  return isTooSmall || isOnlyOutput ? undefined : actual;
}

const usualUnits: Partial<Record<OverflowClass, LimitUnit>> = {
  context_tokens: "tokens",
  output_limit: "tokens",
  request_bytes: "bytes",
};

/** The unit that was read beside the figures, else the one that the words or the class suggest. */
function unitFor(name: OverflowClass, { figures, text }: Evidence): LimitUnit | undefined {
  if (figures.unit !== undefined) return figures.unit;
  if (name === "request_bytes" || name === "other") {
    if (/\bstrings?\b|\bmaxLength\b/i.test(text)) return "chars";
    if (/\barrays?\b/i.test(text)) return "count";
  }
  return usualUnits[name];
}
