/** JSON with comments and trailing commas: all of them stay where they are. */
import {
  createScanner,
  type Node,
  type ParseError,
  parseTree,
  parse as parseValue,
  printParseErrorCode,
} from "jsonc-parser";
import { syntaxFault } from "../../../config/config-file.ts";
import {
  type ConfigChange,
  type ConfigFormat,
  ConfigFormError,
  type ConfigPath,
  ConfigSyntaxError,
  type ConfigValue,
  type PathStep,
} from "./config-format.ts";
import { writeInline } from "./inline-json.ts";
import { type ListText, spliceHead } from "./list-head.ts";
import { applySplices, describePlace, findEol, indentAt, type Splice, startsLine } from "./text-splices.ts";

export const jsonFormat: ConfigFormat = {
  parse(text) {
    parseRoot(text);
    return parseValue(text, [], { allowTrailingComma: true, allowEmptyContent: true }) ?? {};
  },

  edit(text, changes) {
    const root = parseRoot(text);
    if (root !== undefined)
      return applySplices(
        text,
        changes.flatMap((change) => planChange(text, root, change)),
      );
    const [first, ...others] = changes.filter(({ value }) => value !== undefined);
    if (first?.value === undefined) return text;
    return this.edit(writeFirstObject(text, nest(first.path, first.value)), others);
  },
};

function planChange(text: string, root: Node, { path, value }: ConfigChange): Splice[] {
  const { node, rest } = descend(root, path);
  const property = node.parent;
  if (value === undefined)
    return rest.length > 0 || property?.type !== "property" ? [] : removeProperty(text, property);
  if (rest.length === 0) return replaceValue(text, node, value);
  if (node.type !== "object") throw new ConfigFormError("a map is expected where another value is");
  const [key = "", ...below] = rest;
  return insertProperty(text, node, key, nest(below, value));
}

/** The tree of a text; undefined for a text without a value. */
function parseRoot(text: string): Node | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [error] = errors;
  if (error !== undefined)
    throw new ConfigSyntaxError(
      `${syntaxFault(printParseErrorCode(error.error))} at ${describePlace(text, error.offset)}`,
    );
  if (root !== undefined && root.type !== "object") throw new ConfigSyntaxError("its value is not an object");
  return root;
}

/** The innermost node that exists on a path, and the steps below it. Of equal keys the last one counts, as in parsers. */
function descend(root: Node, path: ConfigPath): { node: Node; rest: string[] } {
  let node = root;
  const steps = path.map(toKey);
  for (const [index, key] of steps.entries()) {
    const value = node.type === "object" ? propertiesOf(node).get(key)?.children?.[1] : undefined;
    if (value === undefined) return { node, rest: steps.slice(index) };
    node = value;
  }
  return { node, rest: [] };
}

/** The properties of an object by their keys, found once: a config may have thousands of servers. */
function propertiesOf(object: Node): Map<unknown, Node> {
  const known = knownProperties.get(object);
  if (known !== undefined) return known;
  const properties = new Map((object.children ?? []).map((each) => [each.children?.[0]?.value, each]));
  knownProperties.set(object, properties);
  return properties;
}

const knownProperties = new WeakMap<Node, Map<unknown, Node>>();

function toKey(step: PathStep): string {
  if (typeof step === "string") return step;
  throw new ConfigFormError("a list of servers is not expected in JSON");
}

/** A value inside one map for each step. */
function nest(path: ConfigPath, value: ConfigValue): ConfigValue {
  return path.reduceRight<ConfigValue>((inner, step) => ({ [toKey(step)]: inner }), value);
}

/** The first object of a text that is empty, or has comments only. */
function writeFirstObject(text: string, value: ConfigValue): string {
  const eol = findEol(text);
  const head = text.trim() === "" ? "" : `${text.trimEnd()}${eol}`;
  return `${head}${writeValue(value, { eol, indent: "", unit: "  " })}${eol}`;
}

type Layout = { readonly eol: string; readonly indent: string; readonly unit: string };

/** Maps over several lines, lists on one: they are short. */
function writeValue(value: ConfigValue, { eol, indent, unit }: Layout): string {
  if (typeof value !== "object" || Array.isArray(value)) return writeInline(value);
  const inner = { eol, indent: indent + unit, unit };
  const fields = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}: ${writeValue(field, inner)}`);
  if (fields.length === 0) return "{}";
  return `{${eol}${inner.indent}${fields.join(`,${eol}${inner.indent}`)}${eol}${indent}}`;
}

/** One level of indentation, as the first indented property has it. */
function findUnit(text: string, root: Node): string {
  const [first] = root.children ?? [];
  const indent = first && startsLine(text, first.offset) ? indentAt(text, first.offset) : "";
  return indent === "" ? "  " : indent;
}

const endOf = ({ offset, length }: Node): number => offset + length;

function rootOf(node: Node): Node {
  return node.parent === undefined ? node : rootOf(node.parent);
}

function replaceValue(text: string, node: Node, value: ConfigValue): Splice[] {
  const [start, end] = [node.offset, endOf(node)];
  const head =
    node.type === "array" ? spliceHead(text, toListText(node), value, (word) => JSON.stringify(word)) : undefined;
  if (head !== undefined) return head;
  const isInline = !text.slice(start, end).includes("\n");
  const layout = { eol: findEol(text), indent: indentAt(text, start), unit: findUnit(text, rootOf(node)) };
  return [{ start, end, text: isInline ? writeInline(value) : writeValue(value, layout) }];
}

function toListText(node: Node): ListText {
  const items = (node.children ?? []).map((item) => ({
    value: item.value,
    range: [item.offset, endOf(item)] as const,
  }));
  return { range: [node.offset, endOf(node)], items };
}

function insertProperty(text: string, object: Node, key: string, value: ConfigValue): Splice[] {
  const last = object.children?.at(-1);
  const isInline = last !== undefined && !text.slice(object.offset, endOf(object)).includes("\n");
  const unit = findUnit(text, rootOf(object));
  const outerIndent = indentAt(text, object.offset);
  const indent = last && startsLine(text, last.offset) ? indentAt(text, last.offset) : outerIndent + unit;
  const eol = findEol(text);
  const name = `${JSON.stringify(key)}: `;
  const property = name + (isInline ? writeInline(value) : writeValue(value, { eol, indent, unit }));
  const lead = isInline ? " " : eol + indent;
  if (last === undefined) return insertFirst(text, object, { property: lead + property, end: eol + outerIndent });
  return insertAfter(text, last, lead + property);
}

/** Fills an empty object; comments inside it stay. */
function insertFirst(text: string, object: Node, { property, end }: { property: string; end: string }): Splice[] {
  const start = object.offset + 1;
  const content = text.slice(start, endOf(object) - 1);
  if (content.trim() === "") return [{ start, end: start + content.length, text: property + end }];
  return [{ start, end: start, text: property + (content.includes("\n") ? "" : end) }];
}

/** A property after the last one: behind its comma, if it has one, and behind the comment on its line. */
function insertAfter(text: string, last: Node, property: string): Splice[] {
  const comma = findComma(text, endOf(last));
  const place = skipLineComment(text, comma === undefined ? endOf(last) : comma + 1);
  if (comma !== undefined) return [{ start: place, end: place, text: `${property},` }];
  if (place === endOf(last)) return [{ start: place, end: place, text: `,${property}` }];
  return [
    { start: endOf(last), end: endOf(last), text: "," },
    { start: place, end: place, text: property },
  ];
}

/** The codes of jsonc-parser's tokens; its enum is const and cannot be imported. */
const COMMA_TOKEN = 5;
const LINE_COMMENT = 12;
const BLOCK_COMMENT = 13;
const LINE_BREAK = 14;
const BLANKS = 15;

/** The comma after an offset, if only blanks and comments are before it. */
function findComma(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  return scanner.scan() === COMMA_TOKEN ? scanner.getTokenOffset() : undefined;
}

/** The end of the comments on the rest of a line; the same offset if anything else follows there. */
function skipLineComment(text: string, offset: number): number {
  const scanner = createScanner(text, false);
  scanner.setPosition(offset);
  let end = offset;
  for (;;) {
    const token = Number(scanner.scan());
    if (token === LINE_BREAK) return end;
    if (token === LINE_COMMENT) return scanner.getTokenOffset() + scanner.getTokenLength();
    if (token === BLOCK_COMMENT) end = scanner.getTokenOffset() + scanner.getTokenLength();
    else if (token !== BLANKS) return offset;
  }
}

function removeProperty(text: string, property: Node): Splice[] {
  const object = property.parent;
  const siblings = object?.children ?? [];
  const index = siblings.indexOf(property);
  const comma = findComma(text, endOf(property));
  const end = comma === undefined ? endOf(property) : comma + 1;
  const own = { start: startOfRemoval(text, property.offset, end), end, text: "" };
  if (siblings.length === 1 && object) {
    const remaining = applySplices(text.slice(object.offset, endOf(object)), [shift(own, -object.offset)]);
    if (/^\{\s*\}$/.test(remaining)) return [{ start: object.offset, end: endOf(object), text: "{}" }];
  }
  const previous = siblings[index - 1];
  const before = previous && comma === undefined ? findComma(text, endOf(previous)) : undefined;
  return before === undefined ? [own] : [own, { start: before, end: before + 1, text: "" }];
}

const shift = ({ start, end, text }: Splice, by: number): Splice => ({ start: start + by, end: end + by, text });

/** Takes the blanks and the line end before a property too, unless something follows it on its line. */
function startOfRemoval(text: string, offset: number, end: number): number {
  const start = text.slice(0, offset).trimEnd().length;
  const isWithinLine = !text.slice(start, offset).includes("\n");
  return isWithinLine || /^[ \t]*(?:\r?\n|\}|\/[/*]|$)/.test(text.slice(end, end + 1_000)) ? start : offset;
}
