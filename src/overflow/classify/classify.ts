/** What a refused request was refused for: the channel, then codes, vetoes, the named part, the wording, 413 last. */
import { type Channel, channelOf, channelOfEvent, type Finish, finishOf, type ProviderAnswer } from "./channel.ts";
import { figuresOf } from "./figures.ts";
import { conceptsOf, sentencesOf } from "./lexicon.ts";
import { partNamed } from "./named-parts.ts";
import type { Report } from "./reports.ts";
import type { Figures, LimitUnit, OverflowClass, Verdict } from "./verdict.ts";
import { type Wording, wordingOf } from "./wordings.ts";

/** An HTTP answer, one event of a stream, or the end of a successful answer. */
export type Classifiable = ProviderAnswer | { readonly streamEvent: unknown } | { readonly finish: unknown };

/** The class of an answer with its figures. Text that a model or a tool wrote is never looked at. */
export function classify(given: Classifiable): Verdict {
  const channel = channelFor(given);
  if (channel.kind === "finish") return finishVerdict(channel.finish);
  return channel.kind === "error" ? errorVerdict(channel.report, channel.status) : nothing;
}

const nothing: Verdict = { class: "other", confidence: 1 };

function channelFor(given: Classifiable): Channel {
  if ("streamEvent" in given) return channelOfEvent(given.streamEvent);
  if ("finish" in given) return { kind: "finish", finish: finishOf(given.finish) };
  return channelOf(given);
}

function finishVerdict(finish: Finish): Verdict {
  if (finish === "window" || finish === "empty") return { class: "context_tokens", confidence: 0.9, unit: "tokens" };
  return finish === "output" ? { class: "output_limit", confidence: 0.9, unit: "tokens" } : nothing;
}

/** What each step of the order may look at. */
type Evidence = {
  readonly status: number | undefined;
  readonly report: Report;
  readonly text: string;
  readonly concepts: readonly string[];
  readonly figures: Figures;
};

/** Nobody explains a refusal at greater length. */
const longestText = 16_384;

type Opinion = { readonly class: OverflowClass; readonly confidence: number; readonly path?: string };

function errorVerdict(report: Report, status: number | undefined): Verdict {
  const text = report.messages.join("\n").slice(0, longestText);
  const concepts = sentencesOf(text).map(conceptsOf);
  const evidence = { status, report, text, concepts, figures: figuresOf(report, status) };
  const opinion =
    byCode(evidence, namesTheWindow) ??
    byVeto(evidence) ??
    byCode(evidence) ??
    byPath(evidence) ??
    byWording(evidence) ??
    byStatus(evidence);
  return opinion ? verdictOf(opinion, evidence) : { class: "other", confidence: 0.8 };
}

/** `token_limit_exceeded` may be an allowance; a code that says of what needs no other word. */
const namesTheWindow = /context|window|prompt|input|ctx|request|payload|body|entity/i;

/** A code is the provider's own classification: `context_length_exceeded` and whatever else says the same. */
function byCode({ report, text, concepts }: Evidence, only = /(?:)/): Opinion | undefined {
  for (const code of report.codes.filter((one) => only.test(one))) {
    const found = wordingOf(code.replaceAll("_", " "))?.class;
    if (found === "context_tokens") return { class: found, confidence: 0.98 };
    if (found === "attachment_limit") return { class: found, confidence: 0.9 };
    if (found === "request_bytes" && /request|payload|body|entity/i.test(code) && !isRate(concepts)) {
      const said = wordingOf(text)?.class;
      const isOther = said === "context_tokens" || said === "attachment_limit";
      return { class: isOther ? said : found, confidence: 0.9 };
    }
  }
  return undefined;
}

/** Statuses that say what is wrong by themselves: logins, payment, unknown places, long addresses and headers. */
const neverSize: readonly number[] = [401, 402, 404, 405, 407, 414, 431];

/** Waiting, paying or logging in would help here; a smaller request would not. */
function byVeto({ status, report, text, concepts, figures }: Evidence): Opinion | undefined {
  // The one substatus of an unknown place that means a body over the limit.
  if (status === 404 && /\b404\.13\b/.test(text)) return { class: "request_bytes", confidence: 0.9 };
  if (status !== undefined && neverSize.includes(status) && !(status === 401 && isWindowToCut(concepts, figures)))
    return { class: "other", confidence: 0.95 };
  if (status === 429 && !isMessageSize(concepts, figures)) return { class: "rate_limit", confidence: 0.95 };
  const codes = report.codes.map((code) => conceptsOf(sentencesOf(code).join(" ")));
  const said = [...codes, ...concepts];
  if (said.some((one) => /\bmoney\b/.test(one)) && figures.actual === undefined)
    return { class: "other", confidence: 0.9 };
  if (isRate(said)) return { class: "rate_limit", confidence: 0.9 };
  const isAllowance = figures.actual === undefined && said.some((one) => /\ballowance\b/.test(one));
  const isOverload = said.some((one) => /\boverload\b/.test(one)) && !(isPlain(text) && figures.limit !== undefined);
  if (isAllowance || isOverload) return { class: "other", confidence: 0.9 };
  if (isForLater(said) && !isPlain(text)) return { class: "rate_limit", confidence: 0.9 };
  return said.some((one) => /\btime\b/.test(one)) ? { class: "other", confidence: 0.9 } : undefined;
}

/** One provider refuses with a login's status what is over the window of a model; it names the window and says to cut. */
function isWindowToCut(concepts: readonly string[], { limit }: Figures): boolean {
  return (
    limit !== undefined && talksOfWindow(concepts) && concepts.some((one) => /\breduce (?:\w+ )?input\b/.test(one))
  );
}

/** gRPC has one status for a spent quota and for a message over its size; bytes that are counted out are the second. */
function isMessageSize(concepts: readonly string[], { limit, actual }: Figures): boolean {
  if (limit === undefined || actual === undefined || actual <= limit || isRate(concepts)) return false;
  return concepts.some((one) => /\bbody (?:\w+ )*?exceed\b/.test(one));
}

const isRate = (concepts: readonly string[]): boolean => concepts.some((one) => /\brate\b/.test(one));
const isForLater = (concepts: readonly string[]): boolean => concepts.some((one) => /\blater\b/.test(one));

/** `The prompt exceeds the context window. Shorten it and try again later.`: politeness does not make it a rate limit. */
function isPlain(text: string): boolean {
  const found = wordingOf(text);
  return (
    found !== undefined &&
    found.confidence >= 0.9 &&
    (found.class === "context_tokens" || found.class === "request_bytes")
  );
}

const talksOfWindow = (concepts: readonly string[]): boolean => concepts.some((one) => /\bwindow\b/.test(one));

/** `Invalid 'input[0].content': string too long`: the part decides, for a name can be too long as well. */
function byPath({ report, text, concepts, figures }: Evidence): Opinion | undefined {
  const named = partNamed(text, report.params);
  const { limit = Infinity, actual = Infinity } = figures;
  if (isOutputSetting(report.params) && actual > limit && !isOfInput(concepts))
    return { class: "output_limit", confidence: 0.85 };
  const said = concepts.join(" ");
  if (named === undefined || !/\b(toobig|exceed|max|atmost|window)\b/.test(said)) return undefined;
  if (named.holds === "output") return undefined;
  if (named.holds === "attachment") return { class: "attachment_limit", confidence: 0.93, path: named.path };
  if (named.holds === "setting") return { class: "other", confidence: 0.9, path: named.path };
  if (!/\bstring\b/.test(said)) {
    return /\blist\b/.test(said) ? { class: "other", confidence: 0.8, path: named.path } : undefined;
  }
  const name = figures.unit === "tokens" ? "context_tokens" : "request_bytes";
  return { class: name, confidence: 0.95, path: named.path };
}

const isOutputSetting = (params: readonly string[]): boolean => params.some((name) => /^max_?\w*tokens$/i.test(name));
const isOfInput = (concepts: readonly string[]): boolean => concepts.some((one) => /\b(?:input|window)\b/.test(one));

/** `Model context window too small, minimum is 16000`: the model was refused and not the request. */
function isSmallWindow(concepts: readonly string[]): boolean {
  return concepts.some((one) => /\bwindow atleast\b/.test(one)) && !/\b(?:input|request)\b/.test(concepts.join(" "));
}

/** No model has a smaller window: `more than 1 system message` counts something else. */
const leastWindow = 64;

/** A string that must be shorter is a name. */
const leastText = 256;

function byWording(evidence: Evidence): Opinion | undefined {
  const { status, text, concepts, figures } = evidence;
  const { limit, actual } = figures;
  const proven = limit !== undefined && actual !== undefined && actual > limit;
  if (isSmallWindow(concepts)) return undefined;
  if (isNegativeOutput(text)) return { class: "context_tokens", confidence: 0.85 };
  const found = wordingOf(text);
  if (status !== undefined && status >= 500 && !proven && !isServersWord(status, found, limit)) return undefined;
  if (found === undefined && concepts.some((one) => /\babsent\b/.test(one))) return undefined;
  if (found === undefined) return (proven ? bySizes(evidence) : undefined) ?? limitOfInput(evidence);
  if (found.class === "request_bytes" && limit !== undefined && limit < leastText && unitFor(evidence) === "chars")
    return undefined;
  if (found.class === "context_tokens" && limit !== undefined && limit < leastWindow) return undefined;
  if (found.class === "output_limit" && found.confidence <= 0.8 && limit === undefined) return undefined;
  if (found.class === "output_limit" && isSharedWindow(concepts)) return { class: "context_tokens", confidence: 0.9 };
  return { class: bySizeUnit(found.class, figures), confidence: found.confidence };
}

const unitFor = ({ figures, text }: Evidence) => figures.unit ?? unitOfText("request_bytes", text);

/** A server's own fault may mention sizes; without two figures only its plain word is taken, a gateway's only with the limit. */
function isServersWord(status: number, found: Wording | undefined, limit: number | undefined): boolean {
  if (found?.class === "attachment_limit") return true;
  if (found === undefined || found.confidence < 0.9) return false;
  if (found.class === "context_tokens") return status === 500 || limit !== undefined;
  return status === 500 && found.class === "request_bytes" && limit !== undefined;
}

/** The output was too much for what the input left of the window: both are named. */
function isSharedWindow(concepts: readonly string[]): boolean {
  return talksOfWindow(concepts) && concepts.some((one) => /\binput\b/.test(one));
}

/** A prompt that is counted in bytes is a request that is too large; one in tokens never is. */
function bySizeUnit(name: OverflowClass, { unit }: Figures): OverflowClass {
  if (name === "context_tokens" && (unit === "bytes" || unit === "chars")) return "request_bytes";
  return name === "request_bytes" && unit === "tokens" ? "context_tokens" : name;
}

/** `max_tokens must be at least 1, got -186`: the server subtracted the input from its window. */
function isNegativeOutput(text: string): boolean {
  return /max\w{0,40}[ _]tokens\b[^.]{0,200}\bgot:? -\d/i.test(text);
}

/** `Your prompt has 210,331 tokens. The model accepts up to 200,000.`: two figures and what they are of. */
function bySizes({ text, figures }: Evidence): Opinion | undefined {
  const sentences = sentencesOf(text);
  const figure = new RegExp(`(?<!\\d)(?:${figures.limit}|${figures.actual})(?!\\d)`);
  const told = sentences.filter((sentence) => figure.test(sentence.replace(/(?<=\d)[,_](?=\d)/g, "")));
  const all = (told.length > 0 ? told : sentences).map(conceptsOf).join(" ");
  if (/\b(string|body)\b/.test(all)) return { class: "request_bytes", confidence: 0.85 };
  return /\b(window|input|tokens|uncut)\b/.test(all)
    ? { class: bySizeUnit("context_tokens", figures), confidence: 0.9 }
    : undefined;
}

/** `maximum input length is 8192 tokens`, said of a request that was refused. */
function limitOfInput({ concepts, figures }: Evidence): Opinion | undefined {
  if (figures.limit === undefined) return undefined;
  if (concepts.some((one) => /\battach\b.*\bmax\b/.test(one))) return { class: "attachment_limit", confidence: 0.75 };
  const all = concepts.join(" ");
  if (/\boutput\b.*\batmost\b/.test(all) && !/\b(?:input|window)\b/.test(all))
    return { class: "output_limit", confidence: 0.75 };
  if (!concepts.some((one) => /\bwindow\b|\bmax\b.*\binput\b/.test(one))) return undefined;
  return { class: bySizeUnit("context_tokens", figures), confidence: 0.75 };
}

/** 413 says that something was too large and not what: the body is meant unless the words said otherwise. */
function byStatus({ status, text }: Evidence): Opinion | undefined {
  const said = status === 413 || /^\W*413\b/.test(text);
  return said ? { class: "request_bytes", confidence: 0.7 } : undefined;
}

function verdictOf(opinion: Opinion, evidence: Evidence): Verdict {
  const figures = figuresFor(opinion, evidence);
  const single = opinion.class === "rate_limit" && isSingleRequest(evidence);
  const path = opinion.path ?? partNamed(evidence.text, evidence.report.params)?.path;
  return {
    class: opinion.class,
    confidence: opinion.confidence,
    ...figures,
    ...(path === undefined ? {} : { path }),
    ...(single ? { subclass: "tpm_single_request" } : {}),
  };
}

const usualUnit: Partial<Record<OverflowClass, LimitUnit>> = {
  context_tokens: "tokens",
  output_limit: "tokens",
  request_bytes: "bytes",
};

/** No service takes less. */
const leastBytes = 1_024;

/** The figures that mean something for this class, in its usual unit where the message names none. */
function figuresFor({ class: name, path }: Opinion, { figures, text }: Evidence): Figures {
  if (name === "other" && path === undefined) return {};
  // What is counted is something else.
  if (
    name === "request_bytes" &&
    (figures.unit ?? unitOfText(name, text)) === "bytes" &&
    (figures.limit ?? Infinity) < leastBytes
  )
    return { unit: "bytes" };
  const { unit: said, input, output, actual: counted, ...numbers } = figures;
  const isTooFew = name === "request_bytes" && numbers.limit === undefined && (counted ?? 0) < leastBytes;
  const actual = isTooFew ? undefined : counted;
  const onlyOutput = name === "context_tokens" && input === undefined && actual === output;
  const unit = said ?? unitOfText(name, text);
  return {
    ...numbers,
    ...(actual === undefined || onlyOutput ? {} : { actual }),
    ...(input === undefined || name !== "context_tokens" ? {} : { input }),
    ...outputOf(name, output, actual),
    ...(unit === undefined ? {} : { unit }),
  };
}

/** What exceeds an output limit is the output that was asked for. */
function outputOf(name: OverflowClass, output: number | undefined, actual: number | undefined): Figures {
  const asked = output ?? (name === "output_limit" ? actual : undefined);
  return asked === undefined ? {} : { output: asked };
}

function unitOfText(name: OverflowClass, text: string): LimitUnit | undefined {
  if (name === "request_bytes" || name === "other") {
    if (/\bstrings?\b|\bmaxLength\b/i.test(text)) return "chars";
    if (/\barrays?\b/i.test(text)) return "count";
  }
  return usualUnit[name];
}

/** Waiting does not help a request that alone is larger than the minute's allowance. */
function isSingleRequest({ text, figures }: Evidence): boolean {
  const { limit, actual } = figures;
  return /request too large/i.test(text) || (limit !== undefined && actual !== undefined && actual > limit);
}
