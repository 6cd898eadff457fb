/** Which places may be asked, how, and with which keys: fetching, web search and sites. */
import { day, MiB, minute, type SettingRow, second } from "./setting-row.ts";

export const networkRows = {
  "network.allow": {
    type: "list",
    items: "place",
    default: [],
    scope: "user",
    about:
      "Private places that may be fetched: hosts (wiki.example.com, *.corp.example), addresses and ranges (10.0.0.0/8), " +
      "each with an optional port (127.0.0.1:8080). An address counts for URLs that spell it, not for names that resolve to it.",
  },
  "network.deny": {
    type: "list",
    items: "place",
    default: [],
    scope: "user",
    about: "Places that are never fetched, in the syntax of network.allow. Overrides network.allow.",
  },
  "network.headers": {
    type: "headers",
    default: {},
    scope: "user",
    about:
      "Headers and cookies per host, sent to that host only, and not after a redirect from another site. $NAME in a " +
      "value is an environment variable, $$ a dollar sign. A host means https; write http://host for plain HTTP.",
  },
  "network.user_agent": {
    type: "text",
    default: null,
    scope: "user",
    about: "The User-Agent header. Default: Spillway and its version.",
  },
  "network.ca_file": {
    type: "path",
    default: null,
    scope: "user",
    about: "A PEM file of certificates to trust, besides the system's and NODE_EXTRA_CA_CERTS.",
  },
  "network.timeout": {
    type: "duration",
    default: 1 * minute,
    min: 1 * second,
    ceiling: 1 * day,
    scope: "user",
    about: "Total time of one fetch, including retries, redirects and the body.",
  },
  "network.connect_timeout": {
    type: "duration",
    default: 10 * second,
    min: 100,
    ceiling: 2 * minute,
    scope: "user",
    about: "Time to connect to a host, over all its addresses.",
  },
  "network.tries": {
    type: "integer",
    default: 3,
    min: 1,
    ceiling: 10,
    scope: "user",
    about: "Attempts per request when the connection fails or the server answers 408, 425, 429 or 5xx.",
  },
  "network.retry_wait": {
    type: "duration",
    default: 10 * second,
    min: 0,
    ceiling: 10 * minute,
    scope: "user",
    about: "Longest wait before a retry. If the server asks for a longer wait, the request is not retried.",
  },
  "network.expansion": {
    type: "integer",
    default: 200,
    min: 1,
    ceiling: 1_000_000,
    scope: "user",
    about: "Maximum ratio of decompressed to compressed size, beyond the first 8 MiB.",
  },
  "network.connections_per_host": {
    type: "integer",
    default: 6,
    min: 1,
    ceiling: 1_000,
    scope: "user",
    about: "Maximum concurrent connections to one host.",
  },
  "network.delay": {
    type: "duration",
    default: 0,
    min: 0,
    ceiling: 1 * minute,
    scope: "user",
    about: "Minimum time between two requests to the same host.",
  },
  "network.robots": {
    type: "choice",
    default: "off",
    choices: ["off", "on"],
    scope: "user",
    about: "on: robots.txt of the host is checked first, and disallowed URLs are not fetched.",
  },
  "network.cache_ttl": {
    type: "duration",
    default: 15 * minute,
    min: 0,
    scope: "user",
    about:
      "How long a fetched page is served from the cache, unless the server says less. After that it is revalidated. " +
      "0s always revalidates.",
  },
  "web.providers": {
    type: "list",
    default: [],
    scope: "user",
    about:
      "Web search providers in order of preference: exa, brave, tavily, kagi, google, searxng. A later one is asked when an " +
      "earlier one fails. Default: every one whose key is in the environment or whose address is set.",
  },
  "web.addresses": {
    type: "list",
    default: [],
    scope: "user",
    about:
      "Addresses of web search providers, such as searxng=http://127.0.0.1:8888. Naming one allows its host. Default: the " +
      "public address of each provider.",
  },
  "web.answer_model": {
    type: "text",
    default: null,
    scope: "user",
    about:
      "The model that writes an answer above the passages of fetch_content with prompt, as provider:model (providers and " +
      "keys: runner.endpoints, runner.keys). The passages are sent to its provider. Default: none, and nothing is sent.",
  },
  "web.answer_time": {
    type: "duration",
    default: 1 * minute,
    min: 1 * second,
    scope: "user",
    about: "How long such an answer may take; after that the reply has the passages alone.",
  },
  "sites.api": {
    type: "choice",
    choices: ["on", "off"],
    default: "on",
    scope: "project",
    about:
      "Reads pages of code hosts, package registries and forums through their public API where that says more in fewer " +
      "words; the page itself is the fallback. `off` always reads the page.",
  },
  "sites.addresses": {
    type: "list",
    default: [],
    scope: "user",
    about:
      "API addresses of such sites, such as gitlab=https://git.example.com/api/v4 for a server of your own; its pages are " +
      "then recognised too. A private address also needs network.allow. Default: the public ones.",
  },
  "sites.clone_bytes": {
    type: "bytes",
    default: 350 * MiB,
    min: 1 * MiB,
    scope: "user",
    about: "The largest repository that is cloned, in bytes on disk; the clone of a larger one is stopped and deleted.",
  },
} as const satisfies Record<string, SettingRow>;
