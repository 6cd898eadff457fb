/** The web search verb: a query in, cleaned and deduplicated results out, by the first provider that answers. */
import { SpillwayError } from "../errors.ts";
import type { Session } from "../session/session.ts";
import { ERROR_CHARS, STORED_URL_CHARS } from "../system/clip-lengths.ts";
import { clip } from "../system/safe-names.ts";
import { cleanUrl, makePageKey } from "./clean-url.ts";
import { type ConfiguredProvider, findConfigured, makeUnconfiguredError } from "./web-access.ts";
import {
  canFollow,
  type WebFeature,
  type WebProvider,
  type WebQuery,
  type WebResult,
  webFeatures,
} from "./web-provider.ts";

/** What one query found, or why it failed. `notes` say what the reader would not expect. */
export type QueryOutcome = {
  readonly query: string;
  readonly results: readonly WebResult[];
  readonly provider: string | null;
  readonly notes: readonly string[];
  readonly error?: SpillwayError;
};

/** Fifty pages with their texts are a few megabytes. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

type WebSession = Pick<Session, "settings" | "env" | "network" | "signal" | "emit" | "trace" | "now">;

/** Asks the providers in order until one answers. Throws only if no provider is configured, or on an abort. */
export async function searchWeb(query: WebQuery, session: WebSession): Promise<QueryOutcome> {
  const configured = findConfigured(session.settings, session.env);
  if (configured.length === 0) throw makeUnconfiguredError();
  const failures: SpillwayError[] = [];
  for (const choice of configured) {
    const { provider } = choice;
    try {
      const { results, notes } = await ask(choice, query, session);
      const earlier = failures.map(({ message }) => `${message} The next provider was asked.`);
      return { query: query.query, results, provider: provider.name, notes: [...earlier, ...notes] };
    } catch (error) {
      session.signal.throwIfAborted();
      failures.push(toSearchError(provider, error));
    }
  }
  const [error] = failures.slice(-1);
  const notes = failures.slice(0, -1).map(({ message }) => message);
  return { query: query.query, results: [], provider: null, notes, ...(error && { error }) };
}

type ProviderAnswer = { readonly results: WebResult[]; readonly notes: string[] };

/** One request to a provider, recorded as an event: most of them charge for it. */
async function ask(choice: ConfiguredProvider, query: WebQuery, session: WebSession): Promise<ProviderAnswer> {
  const { name } = choice.provider;
  const startedAt = session.now();
  const emit = (resultCount: number, error: string | null) =>
    session.emit({
      event: "web.searched",
      provider: name,
      result_count: resultCount,
      duration_ms: session.now() - startedAt,
      error,
    });
  const attributes = { "gen_ai.operation.name": "retrieval", "gen_ai.data_source.id": name };
  try {
    const answer = await session.trace(
      () => ({ name: `retrieval ${name}`, kind: "client", attributes }),
      () => request(choice, query, session),
    );
    emit(answer.results.length, null);
    return answer;
  } catch (error) {
    emit(0, error instanceof SpillwayError ? error.code : "internal");
    throw error;
  }
}

async function request(
  { provider, access }: ConfiguredProvider,
  query: WebQuery,
  { settings, network, signal, now }: WebSession,
): Promise<ProviderAnswer> {
  const numResults = Math.min(query.numResults, provider.maxResults);
  const { url, json, headers } = provider.makeRequest({ ...query, numResults }, { ...access, now: now() });
  const text = await network?.requestService(url, {
    json,
    headers,
    timeoutMs: settings["network.timeout"],
    maxBytes: MAX_ANSWER_BYTES,
    signal,
  });
  const answer = parseAnswer(text ?? "", provider);
  const notes = [...(provider.readNotes?.(answer) ?? []), ...listMissing(provider, query)];
  return { results: tidy(provider.readResults(answer), { ...query, numResults }), notes };
}

function parseAnswer(text: string, { name, accessHint }: WebProvider): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SpillwayError("response_invalid", `${name} did not answer with JSON.`, {
      hint: accessHint ?? `Check the address of ${name} in web.addresses, then try again.`,
      cause,
    });
  }
}

/** Each page once, without tracking parameters, with a title, and with no more text than was asked for. */
function tidy(results: readonly WebResult[], { numResults, wantsHighlights, wantsText }: WebQuery): WebResult[] {
  const unique = new Map<string, WebResult>();
  for (const { highlights, text, ...result } of results) {
    const url = toAddress(result.url);
    const key = url === undefined ? undefined : makePageKey(url);
    if (url === undefined || key === undefined || unique.has(key)) continue;
    unique.set(key, {
      ...result,
      url,
      title: result.title === "" ? url : result.title,
      ...(wantsHighlights && highlights !== undefined && { highlights }),
      ...(wantsText && text !== undefined && { text }),
    });
    if (unique.size === numResults) break;
  }
  return [...unique.values()];
}

/** The address as it can be fetched, on one line and without user and password; undefined if it cannot be. */
function toAddress(given: string): string | undefined {
  const url = URL.parse(cleanUrl(given));
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  url.username = "";
  url.password = "";
  return url.href.length <= STORED_URL_CHARS ? url.href : undefined;
}

/** What the query asked for and the provider does not have. */
function listMissing(provider: WebProvider, query: WebQuery): string[] {
  const { name, categories, features, maxResults } = provider;
  const missing = webFeatures.filter((feature) => isAsked(feature, query) && !canFollow(provider, feature, query));
  const known =
    missing.includes("category") && features.has("category") ? ` Its categories: ${categories?.join(", ")}.` : "";
  return [
    ...(missing.length === 0
      ? []
      : [`${name} has no such ${missing.join(", ")}; the results do not follow it.${known}`]),
    ...(query.numResults > maxResults ? [`${name} gives at most ${maxResults} results for a query.`] : []),
  ];
}

function isAsked(feature: WebFeature, query: WebQuery): boolean {
  if (feature === "highlights") return query.wantsHighlights;
  if (feature === "text") return query.wantsText;
  const value = query[feature];
  return Array.isArray(value) ? value.length > 0 : value !== undefined;
}

function toSearchError(provider: WebProvider, error: unknown): SpillwayError {
  if (!(error instanceof SpillwayError)) throw error;
  const sentence = clip(error.message, ERROR_CHARS).replace(/[^.]$/, "$&.");
  return new SpillwayError(error.code, `${provider.name} failed: ${sentence}`, {
    hint: makeHint(provider, error),
    cause: error,
  });
}

/** Statuses that concern the key, or the plan behind it. 432 and 433 are Tavily's. */
const accessStatuses = [401, 402, 403, 432, 433];

/** The hints of a fetch are about pages; those of a service are about its key and the request. */
function makeHint({ keyNames, accessHint }: WebProvider, { message, hint }: SpillwayError): string {
  const status = Number(/^HTTP (\d{3})/.exec(message)?.[1]);
  if (accessStatuses.includes(status))
    return accessHint ?? `Check ${keyNames.map((names) => names.join(" or ")).join(" and ")}, and the plan behind it.`;
  if (status >= 400 && status < 500 && status !== 429) return "Send a shorter query, or fewer filters.";
  return hint;
}
