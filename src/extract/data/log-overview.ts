/** The overview of a log: its time range, how often each level occurs, and the first lines of the worst ones. */
import { formatNumber } from "../../system/quantities.ts";
import { LOG_TIME, LOG_TIME_CHARS } from "./data-format.ts";

/** Levels from the worst to the least, with the other names that they have. */
const levelNames: readonly (readonly [string, readonly string[]])[] = [
  ["FATAL", ["FATAL", "PANIC", "EMERG", "ALERT"]],
  ["CRITICAL", ["CRITICAL", "CRIT"]],
  ["ERROR", ["ERROR", "ERR", "SEVERE"]],
  ["WARN", ["WARN", "WARNING"]],
  ["NOTICE", ["NOTICE"]],
  ["INFO", ["INFO", "INFORMATION"]],
  ["DEBUG", ["DEBUG"]],
  ["TRACE", ["TRACE"]],
];

const levels: ReadonlyMap<string, string> = new Map(
  levelNames.flatMap(([level, names]) => names.map((name) => [name, level] as const)),
);

/** In capitals, or in the places where loggers write small letters: `[error]`, `level=error`, `"level":"error"`. */
const LEVEL =
  /\b(FATAL|PANIC|EMERG|ALERT|CRITICAL|CRIT|ERROR|ERR|SEVERE|WARN|WARNING|NOTICE|INFO|INFORMATION|DEBUG|TRACE)\b|(?:\[|\blevel["']?[=:]\s*["']?)(fatal|panic|emerg|alert|critical|crit|error|err|warn|warning|notice|info|debug|trace)\b/;

/** The level comes near the start of a line, after the time and the name of a logger. */
const LEVEL_CHARS = 160;
const MAX_SHOWN_CHARS = 200;
const MAX_SHOWN_LINES = 4;
const SHOWN_LEVELS = ["FATAL", "CRITICAL", "ERROR"];

export class LogTally {
  readonly #levels = new Map<string, number>();
  readonly #worstLines = new Map<string, string[]>();
  #firstTime: string | undefined;
  #lastTime: string | undefined;

  /** Adds the lines of a text that begins in line `firstLine`. */
  add(text: string, firstLine: number): void {
    let lastTimed = "";
    let line = firstLine;
    for (let start = 0; start < text.length; line++) {
      const newline = text.indexOf("\n", start);
      const end = newline === -1 ? text.length : newline;
      const head = text.slice(start, Math.min(end, start + LEVEL_CHARS));
      if (this.#firstTime === undefined) this.#firstTime = findTime(head);
      if (head.charCodeAt(0) > 0x20) lastTimed = LOG_TIME.test(head) ? head : lastTimed;
      this.#addLevel(
        head,
        () => `line ${formatNumber(line)}: ${text.slice(start, Math.min(end, start + MAX_SHOWN_CHARS))}`,
      );
      start = end + 1;
    }
    this.#lastTime = findTime(lastTimed) ?? this.#lastTime;
  }

  #addLevel(head: string, formatLine: () => string): void {
    const match = LEVEL.exec(head);
    const level = levels.get((match?.[1] ?? match?.[2] ?? "").toUpperCase());
    if (level === undefined) return;
    this.#levels.set(level, (this.#levels.get(level) ?? 0) + 1);
    if (!SHOWN_LEVELS.includes(level)) return;
    const lines = this.#worstLines.get(level) ?? [];
    if (lines.length < MAX_SHOWN_LINES) this.#worstLines.set(level, [...lines, formatLine()]);
  }

  /** Lines of the overview. */
  list(): string[] {
    const counts = levelNames.flatMap(([level]) => {
      const count = this.#levels.get(level);
      return count === undefined ? [] : [`${level} ${formatNumber(count)}`];
    });
    const worstLines = SHOWN_LEVELS.flatMap((level) => this.#worstLines.get(level) ?? []).slice(0, MAX_SHOWN_LINES);
    return [
      ...(this.#firstTime === undefined ? [] : [`Times: ${this.#firstTime} to ${this.#lastTime ?? this.#firstTime}`]),
      ...(counts.length === 0 ? [] : [`Levels: ${counts.join(", ")}`]),
      ...(worstLines.length === 0 ? [] : ["First errors, the worst before others:", ...worstLines]),
    ];
  }
}

const findTime = (head: string): string | undefined => LOG_TIME.exec(head.slice(0, LOG_TIME_CHARS))?.[0];
