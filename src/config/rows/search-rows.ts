/** What code search indexes and shows. */
import { KiB, MiB, minute, type SettingRow, second } from "./setting-row.ts";

export const searchRows = {
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
    about:
      "How long a search waits for the first index of a folder, or one that is built again, before it answers with what is ready.",
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
} as const satisfies Record<string, SettingRow>;
