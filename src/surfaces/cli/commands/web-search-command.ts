/** `spillway web-search`: finds web pages through the configured providers. */
import { SpillwayError } from "../../../errors.ts";
import { callTool, type ToolReply } from "../../../tools/call-tool.ts";
import { codeSearchTool, webSearchTool } from "../../../tools/web-search.ts";
import { freshnessValues } from "../../../web/web-provider.ts";
import type { Call, Command } from "../command.ts";
import { readLines } from "../input-lines.ts";
import { readText } from "../options.ts";
import { toJsonLine } from "../output.ts";

export const webSearchCommand: Command = {
  usage: "web-search <query|->",
  examples: [
    ["web-search 'undici retry after 429'", "addresses with one line each"],
    ["web-search 'node 24 permission model' --fetch", "the passages of the best pages that answer"],
  ],
  about:
    "Finds web pages for a query. With -, reads one query per line from stdin and answers all of them within one budget.",
  options: {
    num: { type: "string", value: "N", about: "Results of each query, 1 to 50. Default: 5." },
    since: { type: "string", value: freshnessValues.join("|"), about: "Only pages at most this old." },
    site: { type: "string", multiple: true, value: "DOMAIN", about: "Only pages of this domain. Repeatable." },
    "not-site": { type: "string", multiple: true, value: "DOMAIN", about: "No pages of this domain. Repeatable." },
    category: { type: "string", value: "KIND", about: "A kind of page, such as news, where the provider has kinds." },
    similar: { type: "string", value: "URL", about: "Pages like this one, where the provider can." },
    highlights: { type: "boolean", about: "Show the sentences that match." },
    text: { type: "boolean", about: "Keep the full texts that the provider sends as artifacts." },
    fetch: { type: "boolean", about: "Fetch the best pages and show the passages that answer the query." },
    code: { type: "boolean", about: "Only sites with code and documentation." },
  },
  details: "A provider is configured by its key in the environment, or by the setting web.addresses. See docs/web.md.",
  async run(call) {
    const input = await readInput(call);
    const tool = call.values.code === true ? codeSearchTool : webSearchTool;
    const reply = await callTool(tool, input, { ...(await call.session()), signal: call.signal });
    if (reply.isError) throw toError(reply);
    await call.terminal.out(call.json ? toJsonLine(reply.structured) : `${reply.text}\n`);
    return 0;
  },
};

async function readInput(call: Call): Promise<Readonly<Record<string, unknown>>> {
  const isPiped = call.args.length === 1 && call.args[0] === "-";
  const { values } = call;
  const query = call.args.join(" ").trim();
  if (query === "")
    throw new SpillwayError("usage", "No query was given.", {
      hint: "For example spillway web-search 'undici retry'.",
    });
  return {
    ...(isPiped ? { queries: await Array.fromAsync(readLines(call.terminal.stdin)) } : { query }),
    numResults: readText(call, "num"),
    freshness: readText(call, "since"),
    includeDomains: values.site,
    excludeDomains: values["not-site"],
    category: readText(call, "category"),
    similarUrl: readText(call, "similar"),
    highlights: values.highlights,
    text: values.text,
    fetch: values.fetch,
  };
}

/** The error of the tool, as commands report errors: with the names of options in place of those of parameters. */
function toError({ structured: { error, code, hint } }: ToolReply): SpillwayError {
  return new SpillwayError(code as SpillwayError["code"], nameOptions(error), { hint: nameOptions(hint) });
}

const optionNames: Readonly<Record<string, string>> = {
  numResults: "--num",
  freshness: "--since",
  includeDomains: "--site",
  excludeDomains: "--not-site",
  similarUrl: "--similar",
};

const nameOptions = (text: unknown): string =>
  String(text).replaceAll(/\b[a-z]+[A-Za-z]*\b/g, (word) => optionNames[word] ?? word);
