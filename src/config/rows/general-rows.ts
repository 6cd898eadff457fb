/** Where data is kept, how large replies are, and what is recorded of them. */
import { KiB, MiB, type SettingRow } from "./setting-row.ts";

export const generalRows = {
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
    isWebAddress: true,
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
} as const satisfies Record<string, SettingRow>;
