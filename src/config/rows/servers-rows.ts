/** The gateway, the overflow proxy and `spillway serve`. */
import { day, GiB, KiB, MiB, minute, type SettingRow, second } from "./setting-row.ts";

export const serversRows = {
  "gateway.changed_tools": {
    type: "choice",
    default: "show",
    choices: ["show", "hold"],
    scope: "user",
    about:
      "When a server behind spillway gateway changes the definition of a tool. show: it is reported. hold: the tool is left " +
      "out until it is accepted with spillway gateway --accept.",
  },
  "gateway.listing_chars": {
    type: "integer",
    default: 60_000,
    min: 2_000,
    ceiling: 10_000_000,
    scope: "user",
    about:
      "Characters of one server's list of tools behind spillway gateway. Descriptions in a longer list are shortened.",
  },
  "gateway.turn_chars": {
    type: "integer",
    default: 60_000,
    min: 2_000,
    ceiling: 1_000_000,
    scope: "user",
    about:
      "Characters of all results together that a client asks for at the same time behind spillway gateway. A call that is " +
      "alone is not limited by it.",
  },
  "gateway.call_timeout": {
    type: "duration",
    default: 30 * minute,
    min: 1 * second,
    ceiling: 1 * day,
    scope: "user",
    about:
      "How long a server behind spillway gateway may take to answer a call. Progress that it reports begins the time again.",
  },
  "proxy.port": {
    type: "integer",
    default: 8402,
    min: 0,
    ceiling: 65_535,
    scope: "user",
    about: "Port of spillway proxy on 127.0.0.1; 0 picks a free one.",
  },
  "proxy.upstreams": {
    type: "list",
    default: [
      "openai=https://api.openai.com",
      "anthropic=https://api.anthropic.com",
      "gemini=https://generativelanguage.googleapis.com",
    ],
    scope: "user",
    about: "Where spillway proxy sends requests under /name, each as name=url. It reaches nothing else.",
  },
  "proxy.token": {
    type: "choice",
    default: "on",
    choices: ["on", "off"],
    scope: "user",
    about:
      "Whether the path of every request to spillway proxy must begin with the token it prints. The token stays the same. " +
      "off: every program of this machine is served.",
  },
  "proxy.allow_origins": {
    type: "list",
    default: [],
    scope: "user",
    about: "Web origins whose pages may use spillway proxy. Default: none. Programs send no origin.",
  },
  "proxy.body_bytes": {
    type: "bytes",
    default: 64 * MiB,
    min: 1 * MiB,
    ceiling: 1 * GiB,
    scope: "user",
    about: "Largest request that spillway proxy buffers for a retry. A larger one is streamed through.",
  },
  "serve.address": {
    type: "text",
    default: "127.0.0.1",
    scope: "user",
    about:
      "Address that spillway serve listens on. Any but a loopback address also needs serve.tls, serve.hosts and a token.",
  },
  "serve.port": {
    type: "integer",
    default: 8403,
    min: 0,
    ceiling: 65_535,
    scope: "user",
    about: "Port of spillway serve; 0 picks a free one.",
  },
  "serve.tls": {
    type: "choice",
    default: "none",
    choices: ["none", "in_front"],
    scope: "user",
    about:
      "in_front: you state that a reverse proxy with TLS is in front of spillway serve and that clients cannot bypass it.",
  },
  "serve.hosts": {
    type: "list",
    default: [],
    scope: "user",
    about:
      "Host names, with a port unless it is 443, under which clients reach spillway serve, besides this machine's own.",
  },
  "serve.origins": {
    type: "list",
    default: [],
    scope: "user",
    about: "Web origins whose pages may use spillway serve, besides its own. Programs send no origin.",
  },
  "serve.tokens": {
    type: "path",
    default: null,
    scope: "user",
    about: "File of the tokens that spillway token makes, without the tokens themselves. Default: tokens.json in home.",
  },
  "serve.body_bytes": {
    type: "bytes",
    default: 4 * MiB,
    min: 1 * KiB,
    ceiling: 64 * MiB,
    scope: "user",
    about: "Largest body of a request to spillway serve.",
  },
  "serve.calls": {
    type: "integer",
    default: 32,
    min: 1,
    ceiling: 1_000,
    scope: "user",
    about: "Calls that spillway serve works on at once. Owners whose calls wait are served in turn.",
  },
  "serve.owner_calls": {
    type: "integer",
    default: 8,
    min: 1,
    ceiling: 1_000,
    scope: "user",
    about: "Calls of one owner that spillway serve works on at once.",
  },
  "serve.owner_waiting": {
    type: "integer",
    default: 100,
    min: 1,
    ceiling: 10_000,
    scope: "user",
    about: "Calls of one owner that may wait, and requests of one owner that may be open. One more is refused.",
  },
  "serve.owner_rate": {
    type: "integer",
    default: 1_200,
    min: 1,
    ceiling: 1_000_000,
    scope: "user",
    about: "Requests per minute of one owner, unless the token has a rate of its own.",
  },
  "serve.issuer": {
    type: "text",
    default: null,
    scope: "user",
    about: "URL of an authorization server whose JWTs spillway serve accepts, besides its own tokens. Default: none.",
  },
  "serve.audience": {
    type: "text",
    default: null,
    scope: "user",
    about: "What the aud of such a JWT has to contain. Default: the address of the server, with /mcp.",
  },
  "serve.keys": {
    type: "text",
    default: null,
    scope: "user",
    about: "URL of the issuer's public keys (JWKS). Default: .well-known/jwks.json below the issuer.",
  },
  "serve.algorithms": {
    type: "list",
    default: ["RS256", "ES256", "EdDSA"],
    scope: "user",
    about: "Signatures that such a JWT may have. Shared secrets (HS256 and the like) are never accepted.",
  },
  "serve.llm": {
    type: "choice",
    default: "off",
    choices: ["on", "off"],
    scope: "user",
    about:
      "Whether spillway serve also carries requests to the providers of proxy.upstreams, under /llm, and keeps what it removes " +
      "from them for the owner of the token.",
  },
  "serve.servers": {
    type: "list",
    default: [],
    scope: "user",
    about:
      "Servers of gateway.jsonc that spillway serve offers under /servers, by name; * offers all. Every owner has processes of " +
      "its own. Default: none.",
  },
  "serve.server_processes": {
    type: "integer",
    default: 64,
    min: 1,
    ceiling: 10_000,
    scope: "user",
    about: "Wrapped servers that spillway serve runs at once for all owners. Idle ones end to make room.",
  },
  "serve.owner_processes": {
    type: "integer",
    default: 16,
    min: 1,
    ceiling: 10_000,
    scope: "user",
    about: "Wrapped servers that spillway serve runs at once for one owner.",
  },
  "serve.server_idle": {
    type: "duration",
    default: 10 * minute,
    min: 1 * second,
    ceiling: 1 * day,
    scope: "user",
    about: "How long a wrapped server of spillway serve runs without a request. The next request starts it again.",
  },
  "serve.session_keep": {
    type: "duration",
    default: 1 * day,
    min: 1 * minute,
    scope: "user",
    about: "How long a session of an MCP client is kept after its last request.",
  },
  "serve.drain": {
    type: "duration",
    default: 30 * second,
    min: 0,
    scope: "user",
    about: "How long spillway serve finishes running calls after it was asked to stop.",
  },
} as const satisfies Record<string, SettingRow>;
