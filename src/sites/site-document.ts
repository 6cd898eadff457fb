/** Text made from the answers of an API, as a source. */
import { streamBytes } from "../acquire/chunks.ts";
import type { OpenedSource } from "../acquire/source.ts";
import { toFields, toLine } from "../system/json-values.ts";

/** A Markdown source with a name and notes for the reader. */
export function toMarkdownSource(name: string, markdown: string, notes: readonly string[] = []): OpenedSource {
  return {
    chunks: streamBytes(Buffer.from(markdown)),
    name,
    // The name may end like that of another kind of file.
    location: "document.md",
    headers: { "content-type": "text/markdown; charset=utf-8" },
    response: {
      statusCode: 200,
      isDirect: true,
      notes,
      shortfall: () => undefined,
      freshness: { maxAgeMs: null, validators: null },
    },
  };
}

/** `- name: value` for each value that is not empty, one a line. */
export function writeFacts(facts: Readonly<Record<string, string | number | undefined>>): string {
  const lines = Object.entries(facts).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [`- ${name}: ${value}`],
  );
  return lines.join("\n");
}

/** The parts that are not empty, with an empty line between them. */
export const joinParts = (...parts: readonly string[]): string =>
  `${parts
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join("\n\n")}\n`;

/** Code in a fence that is longer than any in it. */
export function writeFence(code: string, language = ""): string {
  let longest = 2;
  for (const [, ticks = ""] of code.matchAll(/^[ \t]*(`{3,})/gm)) longest = Math.max(longest, ticks.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${code.replace(/\n$/, "")}\n${fence}`;
}

/** Only the day of a date that an API states. */
export const toDay = (date: unknown): string => (typeof date === "string" ? date.slice(0, 10) : "");

/** A text of several lines; empty if it is none. */
export const toText = (value: unknown): string => (typeof value === "string" ? value.replaceAll("\r\n", "\n") : "");

/** A text that an answer must have: without it, it is not the answer to the request. */
export function requireLine(value: unknown): string {
  const line = toLine(value);
  if (line === "") throw new TypeError("The answer lacks a text that it must have.");
  return line;
}

/** A list that an answer must have. */
export function requireList(value: unknown): readonly Fields[] {
  if (!Array.isArray(value)) throw new TypeError("The answer lacks a list that it must have.");
  return value.map(toFields);
}

/** An object of an API's answer. */
export type Fields = Readonly<Record<string, unknown>>;
