/** `spillway search`: the lines of a folder's code that answer a question. */
import { searchNotices } from "../../../answer/search-reply.ts";
import type { CodeResult, SearchReply } from "../../../contract/search-fields.ts";
import { SpillwayError } from "../../../errors.ts";
import { parseQuestion } from "../../../search/rank/query.ts";
import type { SearchInput } from "../../../search/request.ts";
import { searchCode } from "../../../search/search.ts";
import type { Session } from "../../../session/session.ts";
import { ERROR_CHARS } from "../../../system/clip-lengths.ts";
import { clip } from "../../../system/safe-names.ts";
import type { Call, Command, ExitCode } from "../command.ts";
import { linesOf } from "../input-lines.ts";
import { projectRow, textOption } from "../options.ts";
import { errorFields, errorLines, jsonLine } from "../output.ts";

export const searchCommand: Command = {
  usage: "search <query|->",
  about: "Finds the files and lines that answer a question about a folder of code; - reads a query a line.",
  options: {
    dir: { type: "string", value: "DIR", about: "Folder to search. Default: where you stand." },
    limit: { type: "string", value: "N", about: "Files to show, 1 to 50. Default: 10." },
    "file-type": { type: "string", value: "TYPE", about: "Only files that end so: py, ts, d.ts." },
    directory: {
      type: "string",
      value: "PATH",
      about: "Only below this folder of the repository; % stands for anything.",
    },
    cursor: { type: "string", value: "C", about: "Go on where an earlier reply ended." },
    explain: { type: "boolean", about: "Say what each score is made of." },
    project: projectRow,
    repository: { type: "string", value: "ID", about: "A repository of the project by its id." },
  },
  details:
    "A folder that was never indexed is indexed first. With - each reply is one line of JSON, from a complete index.",
  async run(call) {
    if (call.args.length === 1 && call.args[0] === "-") return searchLines(call);
    const query = call.args.join(" ");
    const reply = await searchCode(inputOf(call, query), await sessionOf(call));
    await call.terminal.out(call.json ? jsonLine(reply) : textOf(reply, query, call.terminal.color === true));
    for (const notice of call.json ? [] : [...searchNotices(reply), ...further(reply)])
      call.terminal.note(`${notice}\n`);
    return 0;
  },
};

/** How the query was read, where that was asked for, and how to see more. */
function further({ next_cursor, question }: SearchReply): string[] {
  const list = (words: readonly string[]) => clip(words.join(" "), ERROR_CHARS);
  return [
    ...(question === undefined
      ? []
      : [`Read as ${question.kind}: ${list(question.terms)}; as names: ${list(question.names)}.`]),
    ...(next_cursor === null ? [] : [`More: --cursor ${next_cursor}`]),
  ];
}

/** Where nobody reads notices, the log tells of what was cut. */
async function sessionOf({ session, json, args, terminal }: Call): Promise<Session> {
  const opened = await session();
  return json || args[0] === "-" ? { ...opened, log: (line) => terminal.note(`spillway: ${line}\n`) } : opened;
}

function inputOf(call: Call, query: string): SearchInput {
  const limit = textOption(call, "limit");
  return {
    query,
    dir: textOption(call, "dir"),
    limit: limit === undefined ? undefined : limitNumber(limit),
    file_type: textOption(call, "file-type"),
    directory: textOption(call, "directory"),
    cursor: textOption(call, "cursor"),
    explain: call.values.explain === true,
    project_id: textOption(call, "project"),
    repository_id: textOption(call, "repository"),
  };
}

/** A number that is none of the allowed ones is the search's to refuse, in the same words everywhere. */
function limitNumber(text: string): number {
  if (/^-?\d{1,9}(?:\.\d{1,9})?$/.test(text)) return Number(text);
  throw new SpillwayError("usage", `--limit must be a number, got ${JSON.stringify(clip(text))}.`, {
    hint: "For example --limit 20.",
  });
}

/** A query that cannot be answered gets its line too, so that answers stay beside their questions. */
async function searchLines(call: Call): Promise<ExitCode> {
  const session = await sessionOf(call);
  let failed = false;
  for await (const query of linesOf(call.terminal.stdin)) {
    try {
      await call.terminal.out(jsonLine(await searchCode(inputOf(call, query), session, { complete: true })));
    } catch (error) {
      if (call.signal.aborted) throw error;
      failed = true;
      await call.terminal.out(jsonLine(errorFields(error)));
      call.terminal.note(errorLines(error));
    }
  }
  return failed ? 1 : 0;
}

function textOf(reply: SearchReply, query: string, color: boolean): string {
  if (reply.results.length === 0) return "Nothing found.\n";
  const style = color ? colored(query) : plain;
  return reply.results.map((result) => resultText(result, style)).join("\n");
}

type Style = { path(text: string): string; faint(text: string): string; code(line: string): string };

const plain: Style = { path: (text) => text, faint: (text) => text, code: (line) => line };

/** Words of the question stand out. */
function colored(query: string): Style {
  const terms = parseQuestion(query).terms.filter((term) => term.length > 1);
  const words = terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const found = new RegExp(words.join("|") || "(?!)", "giu");
  return {
    path: (text) => `\x1b[1;35m${text}\x1b[0m`,
    faint: (text) => `\x1b[2m${text}\x1b[0m`,
    code: (line) => line.replace(found, (word) => `\x1b[1;33m${word}\x1b[0m`),
  };
}

function resultText(result: CodeResult, style: Style): string {
  const { file_path, start_line, end_line, similarity_score, stale, explain } = result;
  const place = `${file_path}:${start_line}-${end_line}`;
  const facts = [
    similarity_score.toFixed(3),
    ...(stale ? ["changed since"] : []),
    ...(explain ? [explained(explain)] : []),
  ];
  const spans = [{ start_line, content: result.content }, ...(result.spans ?? [])];
  const parts = spans.map((span) => spanText(span, style)).join(style.faint("   ...\n"));
  return `${style.path(place)}  ${style.faint(facts.join("  "))}\n${parts}`;
}

function explained(parts: Readonly<Record<string, number>>): string {
  return Object.entries(parts)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}

function spanText({ start_line, content }: { start_line: number; content: string }, style: Style): string {
  const lines = content.split("\n").map((line, index) => {
    return `${style.faint(String(start_line + index).padStart(6))}  ${style.code(line)}\n`;
  });
  return lines.join("");
}
