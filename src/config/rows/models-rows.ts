/** The agent runner, and requests that a provider refuses for their size. */
import { day, hour, minute, type SettingRow, second } from "./setting-row.ts";

export const modelsRows = {
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
} as const satisfies Record<string, SettingRow>;
