/** `spillway search`: finds the lines of code that answer a question. */
import { searchNotices } from "../../../answer/search-reply.ts";
import type { CodeResult, SearchReply } from "../../../contract/search-fields.ts";
import { SpillwayError } from "../../../errors.ts";
import { parseQuery } from "../../../search/rank/query.ts";
import { searchCode } from "../../../search/search.ts";
import type { SearchInput } from "../../../search/search-input.ts";
import type { Session } from "../../../session/session.ts";
import { ERROR_CHARS } from "../../../system/clip-lengths.ts";
import { clip } from "../../../system/safe-names.ts";
import type { Call, Command, ExitCode } from "../command.ts";
import { readLines } from "../input-lines.ts";
import { projectRow, readText, searchOptionNames } from "../options.ts";
import { toErrorFields, toErrorLines, toJsonLine } from "../output.ts";

export const searchCommand: Command = {
  usage: "search <query|->",
  examples: [
    ["search 'where are refs made'", "in the current folder"],
    ["search parseConfig --file-type ts --limit 3", "a symbol, in TypeScript files"],
    ["search --literal '=> {'", "a text exactly as it is written"],
  ],
  about:
    "Finds the files and lines that answer a question about a folder of code. With -, reads one query per line from stdin.",
  options: {
    dir: {
      type: "string",
      value: "DIR",
      about: "Folder to search. Default: the current folder; with --project all of its.",
    },
    limit: { type: "string", value: "N", about: "Files to show, 1 to 50. Default: 10." },
    "file-type": { type: "string", value: "TYPE", about: "Only files with this extension: py, ts, d.ts." },
    directory: {
      type: "string",
      value: "PATH",
      about: "Only files below this folder of the repository; % matches anything.",
    },
    cursor: { type: "string", value: "C", about: "Continue where an earlier reply ended." },
    literal: { type: "boolean", about: "Find the query exactly as it is written; so does a query in double quotes." },
    explain: { type: "boolean", about: "Show what each score is made of." },
    project: projectRow,
    repository: { type: "string", value: "ID", about: "Only this repository of the project, by its id." },
  },
  details: "A folder without an index is indexed first. With -, each reply is one line of JSON, from a complete index.",
  async run(call) {
    if (call.args.length === 1 && call.args[0] === "-") return searchLines(call);
    const query = call.args.join(" ");
    const reply = await searchCode(readInput(call, query), await openSearchSession(call), { names: searchOptionNames });
    await call.terminal.out(call.json ? toJsonLine(reply) : formatReply(reply, query, call.terminal.color === true));
    const notices = [...searchNotices(reply, reply.truncation_info.limit_chars, nextPage), ...listHints(reply)];
    for (const notice of call.json ? [] : notices) call.terminal.note(`${notice}\n`);
    return 0;
  },
};

const nextPage = (cursor: string): string => `${searchOptionNames.cursor} ${cursor}`;

/** How the query was parsed, with --explain, and how to see more results. */
function listHints({ next_cursor, question }: SearchReply): string[] {
  return [
    ...(question === undefined ? [] : [formatQuestion(question)]),
    ...(next_cursor === null ? [] : [`More: ${nextPage(next_cursor)}`]),
  ];
}

function formatQuestion({ kind, terms, names, code_words }: NonNullable<SearchReply["question"]>): string {
  const list = (words: readonly string[]) => clip(words.join(" "), ERROR_CHARS);
  const codeWords = code_words.length === 0 ? "" : `; words of code for them: ${list(code_words)}`;
  return `Query type: ${kind}; terms: ${list(terms)}; names: ${list(names)}${codeWords}.`;
}

/** With JSON output no notices are printed, so the session logs what was cut. */
async function openSearchSession(call: Call): Promise<Session> {
  const session = await call.session();
  const log = (line: string) => call.terminal.note(`spillway: ${line}\n`);
  return call.json || call.args[0] === "-" ? { ...session, log } : session;
}

function readInput(call: Call, query: string): SearchInput {
  const limit = readText(call, "limit");
  return {
    query,
    dir: readText(call, "dir"),
    limit: limit === undefined ? undefined : parseLimit(limit),
    file_type: readText(call, "file-type"),
    directory: readText(call, "directory"),
    cursor: readText(call, "cursor"),
    literal: call.values.literal === true,
    explain: call.values.explain === true,
    project_id: readText(call, "project"),
    repository_id: readText(call, "repository"),
  };
}

/** Parses --limit. The search itself checks the range, with the same message on every surface. */
function parseLimit(text: string): number {
  if (/^-?\d{1,9}(?:\.\d{1,9})?$/.test(text)) return Number(text);
  throw new SpillwayError("usage", `--limit must be a number, got ${JSON.stringify(clip(text))}.`, {
    hint: "For example --limit 20.",
  });
}

/** Prints a line for every query, also for one that fails, so that replies stay in step with queries. */
async function searchLines(call: Call): Promise<ExitCode> {
  const session = await openSearchSession(call);
  let hasFailed = false;
  for await (const query of readLines(call.terminal.stdin)) {
    try {
      await call.terminal.out(
        toJsonLine(await searchCode(readInput(call, query), session, { names: searchOptionNames, complete: true })),
      );
    } catch (error) {
      if (call.signal.aborted) throw error;
      hasFailed = true;
      await call.terminal.out(toJsonLine(toErrorFields(error)));
      call.terminal.note(toErrorLines(error));
    }
  }
  return hasFailed ? 1 : 0;
}

function formatReply(reply: SearchReply, query: string, color: boolean): string {
  if (reply.results.length === 0) return "Nothing found.\n";
  const style = color ? makeColorStyle(query) : plainStyle;
  return reply.results.map((result) => formatResult(result, style)).join("\n");
}

type Style = { path(text: string): string; faint(text: string): string; code(line: string): string };

const plainStyle: Style = { path: (text) => text, faint: (text) => text, code: (line) => line };

/** Highlights the words of the question. */
function makeColorStyle(query: string): Style {
  const terms = parseQuery(query).terms.filter((term) => term.length > 1);
  const escaped = terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(escaped.join("|") || "(?!)", "giu");
  return {
    path: (text) => `\x1b[1;35m${text}\x1b[0m`,
    faint: (text) => `\x1b[2m${text}\x1b[0m`,
    code: (line) => line.replace(pattern, (word) => `\x1b[1;33m${word}\x1b[0m`),
  };
}

function formatResult(result: CodeResult, style: Style): string {
  const { repository, file_path, start_line, end_line, similarity_score, stale, definitions_only, explain } = result;
  const path = repository === undefined ? file_path : `${repository}/${file_path}`;
  const place = `${path}:${start_line}-${end_line}`;
  const facts = [
    similarity_score.toFixed(3),
    ...(stale ? ["changed since indexing"] : []),
    ...(definitions_only ? ["only its definitions are indexed"] : []),
    ...(explain ? [formatExplanation(explain)] : []),
  ];
  const spans = [{ start_line, content: result.content }, ...(result.spans ?? [])];
  const spansText = spans.map((span) => formatSpan(span, style)).join(style.faint("   ...\n"));
  return `${style.path(place)}  ${style.faint(facts.join("  "))}\n${spansText}`;
}

function formatExplanation(parts: Readonly<Record<string, number>>): string {
  return Object.entries(parts)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}

function formatSpan({ start_line, content }: { start_line: number; content: string }, style: Style): string {
  const lines = content.split("\n").map((line, index) => {
    return `${style.faint(String(start_line + index).padStart(6))}  ${style.code(line)}\n`;
  });
  return lines.join("");
}
