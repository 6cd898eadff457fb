/**
 * The one table of settings. Environment variables, the config file's schema, CLI help and docs/settings.md are made
 * from these rows, so a description cannot promise what the code does not do.
 */

/** How a value is written by people: sizes as `64 MiB`, durations as `14d` or `30s`, lists separated by commas. */
export type SettingType = "text" | "path" | "integer" | "bytes" | "duration" | "choice" | "list" | "headers";

/** Header lines by the host they are for: `{"wiki.example.com": {"Authorization": "Bearer $WIKI_TOKEN"}}`. */
export type HostHeaders = { readonly [host: string]: { readonly [header: string]: string } };

/** One row: the type decides how a value is read, written and described. */
export type SettingRow = {
  readonly type: SettingType;
  readonly default: string | number | readonly string[] | HostHeaders | null;
  readonly about: string;
  /** Smallest and largest accepted number. */
  readonly min?: number;
  readonly ceiling?: number;
  readonly choices?: readonly string[];
  /** For a list: its items are paths, made absolute like any other path, or hosts and ranges of the network. */
  readonly items?: "path" | "place";
  /** Set where a stranger's project must not decide: only the user's own file, the environment and flags count. */
  readonly userOnly?: true;
};

const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

export const settingRows = {
  home: {
    type: "path",
    default: null,
    userOnly: true,
    about: "Folder of the artifact store and the event logs. Default: the platform's data folder.",
  },
  run: {
    type: "text",
    default: null,
    userOnly: true,
    about: "Name of the working session that artifacts and events are grouped under. Default: one per process.",
  },
  "fit.inline_chars": {
    type: "integer",
    default: 30_000,
    min: 1_000,
    ceiling: 100_000,
    about: "Characters of content one fetch answers inline when the caller asks for no other number.",
  },
  "fit.read_chars": {
    type: "integer",
    default: 30_000,
    min: 1_000,
    ceiling: 100_000,
    about: "Characters one read of a kept artifact answers when the caller asks for no other number.",
  },
  "fit.excerpt_chars": {
    type: "integer",
    default: 4_000,
    min: 1_000,
    ceiling: 100_000,
    about: "Characters of a document (PDF, office file, ...) shown under its summary line when it is fetched.",
  },
  "tokens.model": {
    type: "text",
    default: null,
    userOnly: true,
    about:
      "The model that replies are for: where tokens.module is set too, it counts their tokens. Default: none, tokens are estimated as characters / 4.",
  },
  "tokens.module": {
    type: "path",
    default: null,
    userOnly: true,
    about: "A JavaScript module of your own that exports countTokens(text, model), run in this process.",
  },
  "artifacts.source_bytes": {
    type: "bytes",
    default: 64 * MiB,
    min: 1,
    ceiling: 64 * GiB,
    about: "Largest source kept whole. Of a larger one what fits is kept and marked source_truncated.",
  },
  "artifacts.keep": {
    type: "duration",
    default: 14 * day,
    min: 0,
    about: "How long an artifact is kept after its last use.",
  },
  "artifacts.keep_per_run": {
    type: "integer",
    default: 1_000,
    min: 1,
    about: "How many artifacts one run keeps; the least recently used go first.",
  },
  "artifacts.keep_bytes": {
    type: "bytes",
    default: 2 * GiB,
    min: 0,
    about: "How many bytes of artifacts one owner keeps; the least recently used go first.",
  },
  "artifacts.keep_tombstones": {
    type: "duration",
    default: 90 * day,
    min: 0,
    about: "How long a swept ref still answers when it expired and how to fetch it again.",
  },
  "artifacts.sweep_every": {
    type: "duration",
    default: 1 * hour,
    min: 0,
    about: "Least time between two automatic sweeps of the store.",
  },
  "files.allow": {
    type: "list",
    items: "path",
    default: [],
    userOnly: true,
    about: "Folders whose files a model may read by path, besides the client's roots and the working directory.",
  },
  "network.allow": {
    type: "list",
    items: "place",
    default: [],
    userOnly: true,
    about:
      "Places that may be fetched although they are private: hosts (wiki.example.com, *.corp.example), addresses, " +
      "ranges (10.0.0.0/8), each with a port if wanted (127.0.0.1:8080).",
  },
  "network.deny": {
    type: "list",
    items: "place",
    default: [],
    userOnly: true,
    about: "Places that are never fetched, written like network.allow; wins over it.",
  },
  "network.headers": {
    type: "headers",
    default: {},
    userOnly: true,
    about:
      "Headers and cookies for certain hosts, sent to them only. $NAME in a value is the environment variable of that " +
      "name, $$ a dollar sign. A host means https; write http://host for plain HTTP.",
  },
  "network.user_agent": {
    type: "text",
    default: null,
    about: "What is said to servers about who asks. Default: Spillway and its version.",
  },
  "network.ca_file": {
    type: "path",
    default: null,
    userOnly: true,
    about: "A file of further certificates to trust, in PEM, besides the system's and NODE_EXTRA_CA_CERTS.",
  },
  "network.timeout": {
    type: "duration",
    default: 1 * minute,
    min: 1 * second,
    ceiling: 1 * day,
    about: "Time one fetch may take altogether: every try, redirect and byte of it.",
  },
  "network.connect_timeout": {
    type: "duration",
    default: 10 * second,
    min: 100,
    ceiling: 2 * minute,
    about: "Time to connect to a host, over all its addresses.",
  },
  "network.tries": {
    type: "integer",
    default: 3,
    min: 1,
    ceiling: 10,
    about: "How often a request is sent when the connection fails or the server says 408, 425, 429 or 5xx.",
  },
  "network.retry_wait": {
    type: "duration",
    default: 10 * second,
    min: 0,
    ceiling: 10 * minute,
    about: "Longest wait before another try. A server that asks for more is not asked again.",
  },
  "network.expansion": {
    type: "integer",
    default: 200,
    min: 1,
    ceiling: 1_000_000,
    about: "How many times its size on the wire a compressed body may grow to, past its first 8 MiB.",
  },
  "network.connections_per_host": {
    type: "integer",
    default: 6,
    min: 1,
    ceiling: 1_000,
    about: "How many connections to one host are open at once.",
  },
  "network.delay": {
    type: "duration",
    default: 0,
    min: 0,
    ceiling: 1 * minute,
    about: "Least time between two requests to the same host.",
  },
  "network.robots": {
    type: "choice",
    default: "off",
    choices: ["off", "on"],
    about: "on: a host's robots.txt is asked first, and what it disallows is not fetched.",
  },
  "network.cache_ttl": {
    type: "duration",
    default: 15 * minute,
    min: 0,
    about:
      "How long a fetched page answers again without asking its server, unless the server says less. After that it is " +
      "revalidated. 0s always asks.",
  },
  "extract.chars": {
    type: "integer",
    default: 50_000_000,
    min: 100_000,
    about: "Characters extracted from one source by one call; a later read past them goes on from there.",
  },
  "extract.fetch_chars": {
    type: "integer",
    default: 300_000,
    min: 1_000,
    about: "Characters a fetch extracts from a long document (a PDF, ...) at once; reading on extracts more.",
  },
  "extract.memory_bytes": {
    type: "bytes",
    default: 512 * MiB,
    min: 128 * MiB,
    about: "Memory the parser of one file may take; a file that needs more is answered without text.",
  },
  "extract.cpu": {
    type: "duration",
    default: 30 * second,
    min: 1 * second,
    ceiling: 10 * minute,
    about: "CPU time the parser of one file may take.",
  },
  "extract.wall": {
    type: "duration",
    default: 2 * minute,
    min: 1 * second,
    ceiling: 1 * hour,
    about: "Time the parser of one file may take altogether.",
  },
  "extract.children": {
    type: "integer",
    default: 2,
    min: 1,
    ceiling: 32,
    about: "How many files are parsed at once, each in a process of its own.",
  },
  "search.file_bytes": {
    type: "bytes",
    default: 1 * MiB,
    min: 1 * KiB,
    ceiling: 16 * MiB,
    about: "Largest source file that is indexed for code search.",
  },
  "search.wait": {
    type: "duration",
    default: 10 * second,
    min: 0,
    ceiling: 10 * minute,
    about: "How long a first search of a folder waits for its index; then it answers with what is ready.",
  },
  "search.refresh_wait": {
    type: "duration",
    default: 1 * second,
    min: 0,
    ceiling: 1 * minute,
    about: "How long a search waits while changed files are indexed; then it answers with what is ready.",
  },
  "search.refresh_every": {
    type: "duration",
    default: 2 * second,
    min: 0,
    about: "Least time between two looks for changed files of a folder that is searched.",
  },
  "search.context_lines": {
    type: "integer",
    default: 1,
    min: 0,
    ceiling: 50,
    about: "Lines shown before and after the best part of each search result.",
  },
  "search.embed_url": {
    type: "text",
    default: null,
    userOnly: true,
    about:
      "Address of an embeddings service, OpenAI-compatible (.../v1/embeddings) or Ollama (.../api/embed): chunks of " +
      "indexed code and questions are sent there. Its host is allowed by being named. Default: none, nothing is sent.",
  },
  "search.embed_model": {
    type: "text",
    default: null,
    userOnly: true,
    about: "The embedding model to ask for there. An index holds vectors of one model only.",
  },
  "search.embed_batch": {
    type: "integer",
    default: 32,
    min: 1,
    ceiling: 2_048,
    about: "Chunks sent to the embeddings service in one request.",
  },
  "search.embed_wait": {
    type: "duration",
    default: 2 * second,
    min: 50,
    ceiling: 1 * minute,
    about: "How long a search waits for the vector of its question; then it ranks without.",
  },
  "events.bytes": {
    type: "bytes",
    default: 8 * MiB,
    min: 64 * KiB,
    about: "Size at which a run's event log is rotated; one older part is kept.",
  },
  "events.runs": {
    type: "integer",
    default: 200,
    min: 1,
    about: "How many runs keep their event logs; the oldest go first.",
  },
  "render.chromium": {
    type: "path",
    default: null,
    userOnly: true,
    about:
      "A Chromium that runs the scripts of pages which show no text without them. Default: none, scripts are not run.",
  },
  "render.sandbox": {
    type: "choice",
    default: "on",
    choices: ["on", "off"],
    userOnly: true,
    about: "Whether that browser runs in its sandbox. Off only where it must run as root, inside a container.",
  },
  "render.wait": {
    type: "duration",
    default: 10 * second,
    min: second,
    ceiling: 2 * minute,
    about: "How long a page's scripts may work before its text is read as it is then.",
  },
  "runner.enable_filetype_ingest_router": {
    type: "choice",
    default: "on",
    choices: ["on", "shadow", "off"],
    about:
      "on: every kind is read by its handler. shadow: text and HTML as before, documents as metadata and ref, and an " +
      "event says what on would do. off: metadata and ref only. No value ever decodes a binary as text.",
  },
  "runner.enable_model_overflow_fallback": {
    type: "choice",
    default: "on",
    choices: ["on", "shadow", "off"],
    about:
      "on: a request refused for its size is made smaller and sent once more. shadow: the refusal is handed on and an " +
      "event says what on would do. off: nothing is looked at.",
  },
  "runner.model": {
    type: "text",
    default: null,
    userOnly: true,
    about: "The model that a new spillway run asks when --model names none, as provider:model.",
  },
  "runner.endpoints": {
    type: "list",
    default: [],
    userOnly: true,
    about:
      "Addresses of model providers, each as name=address: a service that speaks OpenAI's chat format under a name of " +
      "your own, or another address for openai, anthropic, google or ollama.",
  },
  "runner.keys": {
    type: "list",
    default: [],
    userOnly: true,
    about:
      "Which environment variable holds a provider's key, each as name=$VARIABLE. Default: OPENAI_API_KEY, " +
      "ANTHROPIC_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY, and NAME_API_KEY for an endpoint called name.",
  },
  "runner.steps": {
    type: "integer",
    default: 100,
    min: 1,
    ceiling: 100_000,
    userOnly: true,
    about: "How many times one call of spillway run asks the model.",
  },
  "runner.tokens": {
    type: "integer",
    default: 5_000_000,
    min: 1_000,
    userOnly: true,
    about: "Tokens, in and out, that one call of spillway run may use, as the provider counts them.",
  },
  "runner.time": {
    type: "duration",
    default: 1 * hour,
    min: 1 * second,
    ceiling: 7 * day,
    userOnly: true,
    about: "How long one call of spillway run may take.",
  },
  "runner.turn_chars": {
    type: "integer",
    default: 60_000,
    min: 2_000,
    ceiling: 1_000_000,
    about:
      "Characters that all tool results of one turn may carry together; where the model's window is known, at most a quarter of it.",
  },
  "runner.retries": {
    type: "integer",
    default: 4,
    min: 0,
    ceiling: 20,
    about: "How often a step is asked again when the provider is busy, limits the rate or breaks the connection off.",
  },
  "runner.retry_wait": {
    type: "duration",
    default: 1 * minute,
    min: 0,
    ceiling: 1 * hour,
    about: "Longest wait before a step is asked again. A provider that wants more is not asked again.",
  },
  "runner.transcripts": {
    type: "integer",
    default: 200,
    min: 1,
    about: "How many transcripts of spillway run are kept; the oldest go first.",
  },
  "overflow.prevent": {
    type: "choice",
    default: "on",
    choices: ["on", "off"],
    about:
      "Whether a request over a limit that is known (set, named alike by two refusals, or as much as was refused twice) is made smaller at once.",
  },
  "overflow.limits": {
    type: "list",
    default: [],
    about: "Windows of models in tokens, each as model=tokens; other windows are learnt from refusals.",
  },
  "proxy.port": {
    type: "integer",
    default: 8402,
    min: 0,
    ceiling: 65_535,
    about: "Port of spillway proxy on 127.0.0.1; 0 takes a free one.",
  },
  "proxy.upstreams": {
    type: "list",
    default: [
      "openai=https://api.openai.com",
      "anthropic=https://api.anthropic.com",
      "gemini=https://generativelanguage.googleapis.com",
    ],
    userOnly: true,
    about: "Where spillway proxy sends what comes in under /name, each as name=address. Nothing else is reached.",
  },
  "proxy.token": {
    type: "choice",
    default: "on",
    choices: ["on", "off"],
    userOnly: true,
    about:
      "Whether the path of every request to spillway proxy must begin with the token it prints, which stays the same. " +
      "off: every program of this machine is served.",
  },
  "proxy.allow_origins": {
    type: "list",
    default: [],
    userOnly: true,
    about: "Web origins whose pages may use spillway proxy. Default: none; programs send no origin.",
  },
  "proxy.body_bytes": {
    type: "bytes",
    default: 64 * MiB,
    min: 1 * MiB,
    ceiling: 1 * GiB,
    about: "Largest request spillway proxy holds to be able to send it again; a larger one is passed on as it comes.",
  },
} as const satisfies Record<string, SettingRow>;

export type SettingName = keyof typeof settingRows;

/** Every name, in the order of the table. */
export const settingNames = Object.keys(settingRows) as readonly SettingName[];

/** The row seen as any row, for code that treats all settings alike. */
export function rowOf(name: SettingName): SettingRow {
  return settingRows[name];
}

export function isSettingName(text: string): text is SettingName {
  return Object.hasOwn(settingRows, text);
}

type ValueOf<R extends SettingRow> = R["type"] extends "integer" | "bytes" | "duration"
  ? number
  : R["type"] extends "list"
    ? readonly string[]
    : R["type"] extends "headers"
      ? HostHeaders
      : R extends { choices: readonly (infer C)[] }
        ? C
        : R["default"] extends null
          ? string | null
          : string;

/** Every setting with its resolved value: numbers in bytes or milliseconds, lists as arrays. */
export type Settings = { readonly [K in SettingName]: ValueOf<(typeof settingRows)[K]> };

/** What holds when nobody has said anything else. */
export const defaultSettings = Object.fromEntries(
  Object.entries(settingRows).map(([name, row]) => [name, row.default]),
) as unknown as Settings;

/** Variables that begin like a setting's and are none, with what they are for. */
export const otherVariables: Readonly<Record<string, string>> = {
  SPILLWAY_CONFIG: "Path of the user's config file, instead of the platform's place. The file must exist.",
  SPILLWAY_CHECKOUTS: "Folder of the repositories that the search bench of Spillway itself is run on.",
  SPILLWAY_CORPUS: "Folder of the documents that the quality tests and benches of Spillway itself read.",
};

/** `files.allow` is `SPILLWAY_FILES_ALLOW` in the environment. */
export function environmentName(name: SettingName): string {
  return `SPILLWAY_${name.replaceAll(".", "_").toUpperCase()}`;
}
