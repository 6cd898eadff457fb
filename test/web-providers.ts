/** A loopback server that speaks the format of every web search provider, each below a path of its own. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { text as readBody } from "node:stream/consumers";
import { startServer } from "./server.ts";

/** A page that the providers know. */
export type KnownPage = {
  readonly url: string;
  readonly title: string;
  readonly summary: string;
  readonly highlights?: readonly string[];
  readonly text?: string;
};

/** One request as a provider received it: the query with its filters, as a record. */
export type AskedQuery = {
  readonly provider: string;
  readonly query: string;
  readonly parameters: Readonly<Record<string, unknown>>;
};

/** Answers in place of a provider; true if it did. */
export type Fault = (asked: AskedQuery, response: ServerResponse) => boolean;

export type ProvidersOptions = {
  readonly pages?: readonly KnownPage[];
  /** The pages for one query, where they differ. */
  readonly pagesFor?: (query: string) => readonly KnownPage[];
  readonly fault?: Fault;
};

export const TEST_KEY = "sk-test-0123456789abcdef";

const DATE = "2026-01-02T03:04:05.000Z";

type Simulator = {
  /** The header that carries the key, and its form. */
  readonly key?: readonly [header: string, value: string];
  readonly path: string;
  readQuery(parameters: Readonly<Record<string, unknown>>): unknown;
  answer(pages: readonly KnownPage[], parameters: Readonly<Record<string, unknown>>): object;
};

export const simulators: Readonly<Record<string, Simulator>> = {
  exa: {
    key: ["x-api-key", TEST_KEY],
    path: "/search",
    readQuery: ({ query }) => query,
    answer: (pages, { contents, numResults }) => ({
      requestId: "r",
      results: pages.slice(0, Number(numResults)).map(({ url, title, highlights, summary, text }) => ({
        id: url,
        url,
        title,
        publishedDate: DATE,
        author: null,
        highlights: highlights ?? [summary],
        ...(typeof contents === "object" && contents !== null && "text" in contents && { text }),
      })),
    }),
  },
  brave: {
    key: ["x-subscription-token", TEST_KEY],
    path: "/res/v1/web/search",
    readQuery: ({ q }) => q,
    answer: (pages, { count }) => ({
      type: "search",
      web: {
        type: "search",
        results: pages.slice(0, Number(count)).map(({ url, title, summary, highlights }) => ({
          url,
          title,
          description: `<strong>${summary}</strong>`,
          page_age: DATE,
          extra_snippets: highlights,
        })),
      },
    }),
  },
  tavily: {
    key: ["authorization", `Bearer ${TEST_KEY}`],
    path: "/search",
    readQuery: ({ query }) => query,
    answer: (pages, { max_results, include_raw_content }) => ({
      answer: null,
      results: pages.slice(0, Number(max_results)).map(({ url, title, summary, text }) => ({
        url,
        title,
        content: summary,
        score: 0.9,
        raw_content: include_raw_content === "markdown" ? text : null,
        published_date: DATE,
      })),
    }),
  },
  kagi: {
    key: ["authorization", `Bearer ${TEST_KEY}`],
    path: "/api/v1/search",
    readQuery: ({ query }) => query,
    answer: (pages, { limit }) => ({
      meta: { trace: "t", ms: 12 },
      data: {
        search: pages.slice(0, Number(limit)).map(({ url, title, summary }) => ({
          url,
          title,
          snippet: `<b>${summary}</b>`,
          time: DATE,
        })),
        related_search: [{ title: "other words" }],
      },
    }),
  },
  google: {
    key: ["x-goog-api-key", TEST_KEY],
    path: "/customsearch/v1",
    readQuery: ({ q }) => q,
    answer: (pages, { num }) => ({
      kind: "customsearch#search",
      items: pages.slice(0, Number(num)).map(({ url, title, summary }) => ({ link: url, title, snippet: summary })),
    }),
  },
  searxng: {
    path: "/search",
    readQuery: ({ q }) => q,
    answer: (pages, { q }) => ({
      query: q,
      results: pages.map(({ url, title, summary }) => ({
        url,
        title,
        content: summary,
        engine: "local",
        publishedDate: DATE,
      })),
      unresponsive_engines: [],
    }),
  },
};

/** Keys of every provider, as the environment holds them. */
export const allKeys = {
  EXA_API_KEY: TEST_KEY,
  BRAVE_SEARCH_API_KEY: TEST_KEY,
  TAVILY_API_KEY: TEST_KEY,
  KAGI_API_KEY: TEST_KEY,
  GOOGLE_PSE_KEY: TEST_KEY,
  GOOGLE_PSE_CX: "engine-1",
};

export async function startProviders({ pages = [], pagesFor = () => pages, fault = () => false }: ProvidersOptions) {
  const asked: AskedQuery[] = [];
  const server = await startServer((request, response) => {
    void answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "", server.origin);
    const [, provider = "", ...rest] = url.pathname.split("/");
    const simulator = simulators[provider];
    const body = await readBody(request);
    const parameters = body === "" ? Object.fromEntries(url.searchParams) : JSON.parse(body);
    if (simulator === undefined || simulator.path !== `/${rest.join("/")}`) return void response.writeHead(404).end();
    const query = { provider, query: String(simulator.readQuery(parameters)), parameters };
    asked.push(query);
    if (fault(query, response)) return;
    const [header, value] = simulator.key ?? [];
    if (header !== undefined && request.headers[header] !== value) return void response.writeHead(401).end("{}");
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(simulator.answer(pagesFor(query.query), parameters)));
  }

  return {
    ...server,
    asked,
    /** The settings that send these providers here, in this order. */
    settingsFor: (...names: string[]) => ({
      "web.providers": names,
      "web.addresses": Object.keys(simulators).map((name) => `${name}=${server.origin}/${name}`),
    }),
  };
}
