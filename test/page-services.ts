/** The services that pages talk about, on loopback: a model, a web search, the API of a code host. */
import { serveProvider } from "./provider.ts";
import { findResults } from "./scripted.ts";
import { startServer } from "./server.ts";
import { startProviders } from "./web-providers.ts";

const weirs = [
  {
    url: "https://example.com/weirs",
    title: "How weirs work",
    summary: "A weir holds water up to the height of its crest.",
  },
  {
    url: "https://example.org/locks",
    title: "Locks and weirs",
    summary: "Boats pass beside the weir, through the lock.",
  },
];

const issue = {
  number: 7,
  title: "The lower gate sticks",
  state: "open",
  user: { login: "ada" },
  created_at: "2026-03-04T05:06:07Z",
  body: "It stops half way when the water is low.",
  comments: 1,
};
const comments = [{ user: { login: "ben" }, created_at: "2026-03-05T06:07:08Z", body: "Driftwood on the sill." }];

/** Starts them and returns the variables that lead commands there. */
export async function startPageServices() {
  const model = await serveProvider({
    script: (request, dialect) => {
      const [result] = findResults(request, dialect);
      if (result === undefined) return { calls: [{ tool: "fetch_content", input: { url: "handbook.md" } }] };
      return { text: /If the power fails[^.]*\./.exec(result)?.[0] ?? "The handbook does not say." };
    },
  });
  const search = await startProviders({ pages: weirs });
  const host = await startServer((request, response) => {
    const answers: Readonly<Record<string, unknown>> = { "/repos/lock/keeper/issues/7": issue };
    const answer = answers[request.url ?? ""] ?? (request.url?.includes("comments") ? comments : undefined);
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? {}));
  });
  return {
    env: {
      SPILLWAY_RUNNER_ENDPOINTS: `sim=${model.url}/v1`,
      SPILLWAY_WEB_ADDRESSES: `searxng=${search.origin}/searxng`,
      SPILLWAY_SITES_ADDRESSES: `github=${host.origin}`,
      SPILLWAY_NETWORK_ALLOW: host.allow,
    },
    async [Symbol.asyncDispose]() {
      for (const service of [model, search, host]) await service[Symbol.asyncDispose]();
    },
  };
}
