/**
 * The one table of settings. Environment variables, the config file's schema, CLI help and docs/settings.md are made
 * from these rows, so a description cannot promise what the code does not do.
 */

/** How values are written: sizes as `64 MiB`, durations as `14d` or `30s`, lists separated by commas. */
export type SettingType = "text" | "path" | "integer" | "bytes" | "duration" | "choice" | "list" | "headers";

/** Headers by host: `{"wiki.example.com": {"Authorization": "Bearer $WIKI_TOKEN"}}`. */
export type HostHeaders = { readonly [host: string]: { readonly [header: string]: string } };

/**
 * Who may set it. A project may be a stranger's repository, so `user` is the rule: only the user's file, the environment
 * and flags count. `project`: a preference that affects nothing but what is searched and shown there. `project may lower`:
 * a limit of replies, parsers or waits; a project's value counts only if it is below the user's.
 */
export type SettingScope = "user" | "project" | "project may lower";

/** The type decides how a value is parsed, formatted and described. */
export type ValueRow = {
  readonly type: SettingType;
  readonly default: string | number | readonly string[] | HostHeaders | null;
  readonly about: string;
  /** Smallest and largest accepted number. */
  readonly min?: number;
  readonly ceiling?: number;
  readonly choices?: readonly string[];
  /** It is, or may hold, a password: no message shows it. */
  readonly isSecret?: true;
  /** For a list: its items are paths (made absolute) or network places (hosts and ranges). */
  readonly items?: "path" | "place";
};

/** One row of the table. */
export type SettingRow = ValueRow & {
  readonly scope: SettingScope;
  /** It decides what is deleted. Larger values keep more. */
  readonly isRetention?: true;
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
    scope: "user",
    about: "Folder of the artifact store and the event logs. Default: the platform's data folder.",
  },
  run: {
    type: "text",
    default: null,
    scope: "user",
    about: "Name of the working session that artifacts and events are grouped under. Default: one per process.",
  },
  "fit.inline_chars": {
    type: "integer",
    default: 30_000,
    min: 1_000,
    ceiling: 100_000,
    scope: "project may lower",
    about: "Characters of content in one fetch reply, unless the caller sets another number.",
  },
  "fit.read_chars": {
    type: "integer",
    default: 30_000,
    min: 1_000,
    ceiling: 100_000,
    scope: "project may lower",
    about: "Characters of content in one read reply, unless the caller sets another number.",
  },
  "fit.excerpt_chars": {
    type: "integer",
    default: 4_000,
    min: 1_000,
    ceiling: 100_000,
    scope: "project may lower",
    about: "Characters of a document (PDF, office file, ...) shown under its summary line when it is fetched.",
  },
  "mcp.form": {
    type: "choice",
    default: "auto",
    choices: ["auto", "text", "structured", "both"],
    scope: "user",
    about:
      "What the MCP server sends: the text, structured content with one line of text, or both. auto: what the client " +
      "shows to its model. Before revision 2025-06-18 always text.",
  },
  "mcp.tools": {
    type: "choice",
    default: "core",
    choices: ["core", "all"],
    scope: "user",
    about:
      "Tools that the MCP server lists. core: at most six, which do everything. all: also web_fetch, web_fetch_html, " +
      "get_search_content, get_indexing_status and cancel_indexing, which can be called in any case.",
  },
  "tokens.model": {
    type: "text",
    default: null,
    scope: "user",
    about:
      "The model whose tokens are counted, together with tokens.module. Default: none, tokens are estimated as characters / 4.",
  },
  "tokens.module": {
    type: "path",
    default: null,
    scope: "user",
    about: "Your own JavaScript module that exports countTokens(text, model). It runs in this process.",
  },
  "artifacts.source_bytes": {
    type: "bytes",
    default: 1 * GiB,
    min: 1,
    ceiling: 64 * GiB,
    scope: "user",
    about: "Largest source kept whole. A larger one is kept up to this size and marked source_truncated.",
  },
  "artifacts.copy_bytes": {
    type: "bytes",
    default: 64 * MiB,
    min: 0,
    ceiling: 64 * GiB,
    scope: "user",
    about: "Largest local file that is copied into the store. A larger one is read in place while it does not change.",
  },
  "artifacts.keep": {
    type: "duration",
    default: 14 * day,
    min: 0,
    isRetention: true,
    scope: "user",
    about: "How long an artifact is kept after its last use.",
  },
  "artifacts.keep_per_run": {
    type: "integer",
    default: 1_000,
    min: 1,
    isRetention: true,
    scope: "user",
    about: "Artifacts kept per run; the least recently used expire first.",
  },
  "artifacts.keep_bytes": {
    type: "bytes",
    default: 2 * GiB,
    min: 0,
    isRetention: true,
    scope: "user",
    about: "Bytes of artifacts kept per owner; the least recently used expire first.",
  },
  "artifacts.keep_tombstones": {
    type: "duration",
    default: 90 * day,
    min: 0,
    isRetention: true,
    scope: "user",
    about: "How long an expired ref still says when it expired and how to fetch it again.",
  },
  "artifacts.sweep_every": {
    type: "duration",
    default: 1 * hour,
    min: 0,
    isRetention: true,
    scope: "user",
    about: "Minimum time between two automatic sweeps of the store.",
  },
  "store.catalogue": {
    type: "text",
    default: null,
    isSecret: true,
    scope: "user",
    about:
      "Where the rows of a store are that several servers share, as postgres://USER@HOST/DATABASE. Default: SQLite in the data " +
      "folder.",
  },
  "store.password": {
    type: "text",
    default: null,
    isSecret: true,
    scope: "user",
    about: "The password of the user in store.catalogue, unless the URL has it.",
  },
  "store.objects": {
    type: "text",
    default: null,
    scope: "user",
    about:
      "Where the bytes of such a store are, as s3://BUCKET or s3://BUCKET/PREFIX. Default: files in the data folder.",
  },
  "store.endpoint": {
    type: "text",
    default: null,
    scope: "user",
    about:
      "Address of the S3-compatible service, such as https://minio.example.com. Default: that of AWS in store.region.",
  },
  "store.region": {
    type: "text",
    default: "us-east-1",
    scope: "user",
    about: "Region of the bucket.",
  },
  "store.addressing": {
    type: "choice",
    default: "auto",
    choices: ["auto", "path", "host"],
    scope: "user",
    about:
      "Whether the bucket is named in the path or in the host of a request. auto: in the host for AWS, else in the path.",
  },
  "store.access_key": {
    type: "text",
    default: null,
    isSecret: true,
    scope: "user",
    about: "Access key of the S3-compatible service. The variables and files of AWS tools are not read.",
  },
  "store.secret_key": {
    type: "text",
    default: null,
    isSecret: true,
    scope: "user",
    about: "Secret key that belongs to store.access_key.",
  },
  "store.session_token": {
    type: "text",
    default: null,
    isSecret: true,
    scope: "user",
    about: "Session token of temporary credentials.",
  },
  "store.timeout": {
    type: "duration",
    default: 10 * second,
    min: 100,
    ceiling: 10 * minute,
    scope: "user",
    about:
      "How long one call to the database or the object storage may take. After that the reply comes without a ref.",
  },
  "store.cache_bytes": {
    type: "bytes",
    default: 1 * GiB,
    min: 0,
    scope: "user",
    about: "Local copies of objects of a team store; the least recently used are deleted first.",
  },
  "files.allow": {
    type: "list",
    items: "path",
    default: [],
    scope: "user",
    about: "Folders whose files a model may read by path, besides the client's roots and the working directory.",
  },
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
  "extract.chars": {
    type: "integer",
    default: 50_000_000,
    min: 100_000,
    scope: "project may lower",
    about: "Characters extracted from one source by one call; a later read continues from there.",
  },
  "extract.fetch_chars": {
    type: "integer",
    default: 2_000_000,
    min: 1_000,
    scope: "project may lower",
    about:
      "Characters a fetch extracts from a document with pages (a PDF, ...), and more if it shows more; later reads extract the rest.",
  },
  "extract.memory_bytes": {
    type: "bytes",
    default: 512 * MiB,
    min: 128 * MiB,
    scope: "project may lower",
    about: "Memory the parser of one file may use. A file that needs more is answered without text.",
  },
  "extract.cpu": {
    type: "duration",
    default: 30 * second,
    min: 1 * second,
    ceiling: 10 * minute,
    scope: "project may lower",
    about: "CPU time the parser of one file may use.",
  },
  "extract.wall": {
    type: "duration",
    default: 2 * minute,
    min: 1 * second,
    ceiling: 1 * hour,
    scope: "project may lower",
    about: "Wall time the parser of one file may use.",
  },
  "extract.children": {
    type: "integer",
    default: 2,
    min: 1,
    ceiling: 32,
    scope: "project may lower",
    about: "Files parsed at the same time, each in its own process.",
  },
  "ocr.languages": {
    type: "list",
    default: [],
    scope: "user",
    about:
      "Languages in which text in scanned pages and images is recognised, such as eng,deu. Needs the packages " +
      "tesseract.js-core and @tesseract.js-data/<language>. Default: none, OCR is off.",
  },
  "ocr.packages": {
    type: "path",
    default: null,
    scope: "user",
    about: "Folder in whose node_modules the packages for OCR are. Default: where Spillway is installed.",
  },
  "ocr.page_cpu": {
    type: "duration",
    default: 30 * second,
    min: 1 * second,
    ceiling: 10 * minute,
    scope: "user",
    about: "CPU time for recognising the text of one page or image.",
  },
  "ocr.time": {
    type: "duration",
    default: 30 * second,
    min: 1 * second,
    ceiling: 1 * hour,
    scope: "user",
    about: "Time one call spends on OCR, to the end of the page at work; a later read continues with the next page.",
  },
  "search.file_bytes": {
    type: "bytes",
    default: 4 * MiB,
    min: 1 * KiB,
    ceiling: 64 * MiB,
    scope: "project may lower",
    about:
      "Largest source file indexed whole for code search. Documents and data: a quarter of it. Source up to four times as large is indexed by its definitions.",
  },
  "search.wait": {
    type: "duration",
    default: 10 * second,
    min: 0,
    ceiling: 10 * minute,
    scope: "project may lower",
    about: "How long the first search of a folder waits for its index before it answers with what is ready.",
  },
  "search.refresh_wait": {
    type: "duration",
    default: 1 * second,
    min: 0,
    ceiling: 1 * minute,
    scope: "project may lower",
    about: "How long a search waits for changed files to be indexed before it answers with what is ready.",
  },
  "search.refresh_every": {
    type: "duration",
    default: 2 * second,
    min: 0,
    scope: "project",
    about: "Minimum time between two checks for changed files in a searched folder.",
  },
  "search.context_lines": {
    type: "integer",
    default: 1,
    min: 0,
    ceiling: 50,
    scope: "project",
    about: "Lines shown before and after the best span of each search result.",
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
  "search.embed_url": {
    type: "text",
    default: null,
    scope: "user",
    about:
      "URL of an embeddings service, OpenAI-compatible (.../v1/embeddings) or Ollama (.../api/embed). Chunks of indexed " +
      "code and questions are sent to it. Naming it allows its host. Default: none, nothing is sent.",
  },
  "search.embed_model": {
    type: "text",
    default: null,
    scope: "user",
    about: "The embedding model. An index holds vectors of one model only.",
  },
  "search.embed_batch": {
    type: "integer",
    default: 32,
    min: 1,
    ceiling: 2_048,
    scope: "user",
    about: "Chunks sent to the embeddings service in one request.",
  },
  "search.embed_wait": {
    type: "duration",
    default: 2 * second,
    min: 50,
    ceiling: 1 * minute,
    scope: "project may lower",
    about: "How long a search waits for the vector of its question before it ranks without it.",
  },
  "events.bytes": {
    type: "bytes",
    default: 8 * MiB,
    min: 64 * KiB,
    isRetention: true,
    scope: "user",
    about: "Size at which a run's event log is rotated; one older part is kept.",
  },
  "events.runs": {
    type: "integer",
    default: 200,
    min: 1,
    isRetention: true,
    scope: "user",
    about: "Runs whose event logs are kept; the oldest are deleted first.",
  },
  "otel.endpoint": {
    type: "text",
    default: null,
    scope: "user",
    about:
      "Address of an OpenTelemetry collector (OTLP over HTTP), for example http://127.0.0.1:4318. Default: the standard variable OTEL_EXPORTER_OTLP_ENDPOINT; without either, nothing is exported.",
  },
  "otel.signals": {
    type: "choice",
    default: "both",
    choices: ["both", "traces", "metrics", "none"],
    scope: "user",
    about: "What is exported to the collector; none: nothing, whatever the environment says.",
  },
  "render.chromium": {
    type: "path",
    default: null,
    scope: "user",
    about:
      "Path of a Chromium that runs the scripts of pages without text of their own. Default: none, scripts are not run.",
  },
  "render.sandbox": {
    type: "choice",
    default: "on",
    choices: ["on", "off"],
    scope: "user",
    about: "Whether that browser uses its sandbox. Set off only if it must run as root inside a container.",
  },
  "render.memory_bytes": {
    type: "bytes",
    default: 1 * GiB,
    min: 512 * MiB,
    scope: "user",
    about:
      "Memory that browser may use for one page, all its processes together. A page that needs more is not rendered.",
  },
  "render.wait": {
    type: "duration",
    default: 10 * second,
    min: second,
    ceiling: 2 * minute,
    scope: "user",
    about: "How long a page's scripts may run before its text is read.",
  },
  "runner.enable_filetype_ingest_router": {
    type: "choice",
    default: "on",
    choices: ["on", "shadow", "off"],
    scope: "user",
    about:
      "Governs every fetch (library, CLI, MCP, runner), not read and cat. on: every kind is read by its handler. shadow: text " +
      "and HTML as before, documents as metadata and ref, and an event says what on would do. off: the same without the event. " +
      "Replies about such documents name this setting. No value ever decodes a binary as text.",
  },
  "runner.enable_model_overflow_fallback": {
    type: "choice",
    default: "on",
    choices: ["on", "shadow", "off"],
    scope: "user",
    about:
      "Governs every form of overflow recovery: fetch wrapper, middleware, proxy and runner. on: a request refused for " +
      "its size is made smaller and sent once more. shadow: the refusal is passed on and an event says what on would do. " +
      "off: requests and responses are not inspected.",
  },
  "runner.model": {
    type: "text",
    default: null,
    scope: "user",
    about: "The model of a new spillway run without --model, as provider:model.",
  },
  "runner.endpoints": {
    type: "list",
    default: [],
    scope: "user",
    about:
      "URLs of model providers, each as name=url: a service with OpenAI's chat format under a name of your choice, or " +
      "another URL for openai, anthropic, google or ollama.",
  },
  "runner.keys": {
    type: "list",
    default: [],
    scope: "user",
    about:
      "Which environment variable holds a provider's key, each as name=$VARIABLE. Default: OPENAI_API_KEY, " +
      "ANTHROPIC_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY, and NAME_API_KEY for an endpoint called name.",
  },
  "runner.steps": {
    type: "integer",
    default: 100,
    min: 1,
    ceiling: 100_000,
    scope: "user",
    about: "Maximum model steps of one spillway run.",
  },
  "runner.tokens": {
    type: "integer",
    default: 5_000_000,
    min: 1_000,
    scope: "user",
    about: "Maximum tokens, in and out, of one spillway run, as the provider counts them.",
  },
  "runner.time": {
    type: "duration",
    default: 1 * hour,
    min: 1 * second,
    ceiling: 7 * day,
    scope: "user",
    about: "Maximum time of one spillway run.",
  },
  "runner.turn_chars": {
    type: "integer",
    default: 60_000,
    min: 2_000,
    ceiling: 1_000_000,
    scope: "user",
    about:
      "Characters of all tool results of one turn together; if the model's window is known, at most a quarter of it.",
  },
  "runner.retries": {
    type: "integer",
    default: 4,
    min: 0,
    ceiling: 20,
    scope: "user",
    about: "Retries of a step when the provider is busy, limits the rate or breaks the connection.",
  },
  "runner.retry_wait": {
    type: "duration",
    default: 1 * minute,
    min: 0,
    ceiling: 1 * hour,
    scope: "user",
    about: "Longest wait before a retry of a step. If the provider asks for a longer wait, the step is not retried.",
  },
  "runner.transcripts": {
    type: "integer",
    default: 200,
    min: 1,
    isRetention: true,
    scope: "user",
    about: "Transcripts of spillway run that are kept; the oldest are deleted first.",
  },
  "overflow.prevent": {
    type: "choice",
    default: "on",
    choices: ["on", "off"],
    scope: "user",
    about:
      "Whether a request over a known limit (set, named by two refusals, or refused twice) is made smaller before it is sent.",
  },
  "overflow.headroom": {
    type: "integer",
    default: 35,
    min: 0,
    ceiling: 80,
    scope: "user",
    about:
      "Percent of the window that stay free after older parts were removed, so that the next turns fit and the provider's " +
      "prompt cache lasts.",
  },
  "overflow.at": {
    type: "integer",
    default: 100,
    min: 40,
    ceiling: 100,
    scope: "user",
    about:
      "Percent of a known window at which a request is made smaller before it is sent. Below 100 the windows that are listed " +
      "for current models count as known.",
  },
  "overflow.tools": {
    type: "list",
    default: [],
    scope: "user",
    about:
      "Rules for the results of tools, each as tool=rule: keep (never removed), first (removed before others), or a number of " +
      "characters (longer results are cut to their beginning and end before they are sent).",
  },
  "overflow.calls": {
    type: "choice",
    default: "off",
    choices: ["on", "off"],
    scope: "user",
    about:
      "Whether long texts that the model wrote into tool calls of earlier turns, such as the content of write_file, may be " +
      "replaced by stubs once older results do not suffice.",
  },
  "overflow.pastes": {
    type: "choice",
    default: "off",
    choices: ["on", "off"],
    scope: "user",
    about:
      "Whether the user's texts of 8,000 and more characters in earlier turns may be replaced by stubs once older results do " +
      "not suffice.",
  },
  "overflow.count_tokens": {
    type: "choice",
    default: "off",
    choices: ["on", "off"],
    scope: "user",
    about:
      "Whether the provider's free endpoint that counts tokens (Anthropic, OpenAI Responses, Gemini) is asked for the size of a " +
      "smaller request before it is sent. The request is sent there too.",
  },
  "overflow.tell_client": {
    type: "integer",
    default: 0,
    min: 0,
    ceiling: 1_000,
    scope: "user",
    about:
      "Passes every n-th refusal of a conversation on to the client, for clients that compact by themselves; 1 passes all, 0 " +
      "none. Requests are then not made smaller before they are refused.",
  },
  "overflow.rate_limits": {
    type: "choice",
    default: "off",
    choices: ["on", "off"],
    scope: "user",
    about:
      "Whether a request that alone exceeds a limit of tokens per minute is made smaller: first its output limit, then its " +
      "input. Waiting cannot help it.",
  },
  "overflow.limits": {
    type: "list",
    default: [],
    scope: "user",
    about: "Context windows of models in tokens, each as model=tokens. Other windows are learnt from refusals.",
  },
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

export type SettingName = keyof typeof settingRows;

/** Every name, in the order of the table. */
export const settingNames = Object.keys(settingRows) as readonly SettingName[];

/** The row of a setting, for code that treats all settings alike. */
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

/** The settings without any source. */
export const defaultSettings = Object.fromEntries(
  Object.entries(settingRows).map(([name, row]) => [name, row.default]),
) as unknown as Settings;

/** SPILLWAY_ variables that are not settings. */
export const otherVariables: Readonly<Record<string, string>> = {
  SPILLWAY_CONFIG: "Path of the user's config file, instead of the platform's default. The file must exist.",
  SPILLWAY_CHECKOUTS: "Folder of the repositories for Spillway's own search bench.",
  SPILLWAY_CORPUS: "Folder of the documents for Spillway's own quality tests and benches.",
};

/** The environment variable of a setting: `SPILLWAY_FILES_ALLOW` for `files.allow`. */
export function environmentName(name: SettingName): string {
  return `SPILLWAY_${name.replaceAll(".", "_").toUpperCase()}`;
}
