/** Plays the API of a site on loopback, for tools that take the server for it. */
import { openHttpClient } from "../src/acquire/http/lazy-client.ts";
import { systemDialler } from "../src/acquire/http/transport/guarded-connect.ts";
import { startServer } from "./server.ts";
import { openTools } from "./tools.ts";

/** What the server answers, by path, or by path and `accept`. A number is a status, a text or bytes are the body. */
export type Answers = Readonly<Record<string, unknown>>;

/** A server that answers these paths, as JSON unless they are texts, and tools that take it for the API of a site. */
export async function openSite(site: string, answers: Answers, allow: readonly string[] = []) {
  const server = await startServer((request, response) => {
    const accept = String(request.headers.accept ?? "");
    const path = request.url ?? "";
    const answer = answers[`${path} ${accept}`] ?? answers[path];
    if (answer === undefined) response.writeHead(404).end("nothing here");
    else if (typeof answer === "number") response.writeHead(answer).end("refused");
    else if (typeof answer === "string") response.writeHead(200, { "content-type": "text/plain" }).end(answer);
    else if (answer instanceof Uint8Array) response.writeHead(200).end(answer);
    else if (isRedirect(answer)) response.writeHead(answer.status, { location: answer.location }).end();
    else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  const tools = await openTools({
    "network.allow": [server.allow, ...allow],
    "network.tries": 1,
    "sites.addresses": [`${site}=${server.origin}`],
  });
  const dialled: string[] = [];
  const dialler = {
    // No name is ever looked up: pages that are not read through the API cannot be reached.
    resolve: async (host: string) => {
      dialled.push(host);
      throw Object.assign(new Error("no such host"), { code: "ENOTFOUND" });
    },
    dial: systemDialler.dial,
  };
  const network = openHttpClient({ settings: tools.session.settings, env: {}, dialler });
  return {
    ...tools,
    server,
    dialled,
    async fetch(url: string, env: Record<string, string> = {}, input: object = {}) {
      const { text, fields } = await tools.call("fetch_content", { url, ...input }, { env, network });
      return { text, fields, content: String(fields.content) };
    },
    async [Symbol.asyncDispose]() {
      await network[Symbol.asyncDispose]();
      await tools[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

type Redirect = { readonly status: number; readonly location: string };

const isRedirect = (answer: unknown): answer is Redirect =>
  typeof answer === "object" && answer !== null && "status" in answer && "location" in answer;
