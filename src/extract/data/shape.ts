/** The shape of a tree: every path with its types, how often it occurs, and samples. Elements of an array share a path. */
import { formatNumber } from "../../system/quantities.ts";
import { formatKey } from "./path-steps.ts";
import type { TreeEvents } from "./tree-events.ts";
import { ValueTally } from "./value-tally.ts";

/** Deeper values are not described. */
const MAX_DEPTH = 8;

/** An object with more keys is a dictionary: its values share the path `*`. */
const MAX_KEYS = 40;

const ANY_KEY = "*";
const ELEMENTS = "[]";

class ShapeNode {
  objects = 0;
  arrays = 0;
  readonly values = new ValueTally();
  children = new Map<string, ShapeNode>();
  isDictionary = false;

  child(name: string): ShapeNode {
    const key = this.isDictionary && name !== ELEMENTS ? ANY_KEY : name;
    const known = this.children.get(key);
    if (known !== undefined) return known;
    const node = new ShapeNode();
    this.children.set(key, node);
    if (this.children.size > MAX_KEYS) this.#collapse();
    return this.children.get(key) ?? this.child(name);
  }

  #collapse(): void {
    this.isDictionary = true;
    const elements = this.children.get(ELEMENTS);
    const all = new ShapeNode();
    for (const [name, node] of this.children) if (name !== ELEMENTS) all.merge(node);
    this.children = new Map([...(elements ? [[ELEMENTS, elements] as const] : []), [ANY_KEY, all]]);
  }

  merge(other: ShapeNode): void {
    this.objects += other.objects;
    this.arrays += other.arrays;
    this.values.merge(other.values);
    for (const [name, node] of other.children) this.child(name).merge(node);
  }

  get count(): number {
    return this.objects + this.arrays + this.values.count;
  }
}

/** Collects the shape from the events of a scanner. */
export class Shape implements TreeEvents {
  readonly isDone = false;
  readonly #root = new ShapeNode();
  /** The open objects and arrays; null where they are too deep. */
  readonly #stack: (ShapeNode | null)[] = [];
  readonly #isArray: boolean[] = [];
  #key = "";

  open(kind: "object" | "array"): void {
    const node = this.#enter();
    if (node !== null && kind === "object") node.objects++;
    if (node !== null && kind === "array") node.arrays++;
    this.#stack.push(node);
    this.#isArray.push(kind === "array");
  }

  close(): void {
    this.#stack.pop();
    this.#isArray.pop();
  }

  key(name: string): void {
    this.#key = name;
  }

  value(text: string, isQuoted: boolean): void {
    this.#enter()?.values.add(text, isQuoted);
  }

  /** The node of the value that begins. */
  #enter(): ShapeNode | null {
    if (this.#stack.length === 0) return this.#root;
    if (this.#stack.length > MAX_DEPTH) return null;
    return this.#stack.at(-1)?.child(this.#isArray.at(-1) ? ELEMENTS : this.#key) ?? null;
  }

  /** Lines of a table, at most so many: deep paths are left out before others. */
  listPaths(maxLines: number): string[] {
    for (let depth = MAX_DEPTH; depth > 1; depth--) {
      const lines = listLines(this.#root, "$", depth);
      if (lines.length <= maxLines) return lines;
    }
    const lines = listLines(this.#root, "$", 1);
    const rest = lines.length - maxLines;
    return rest <= 0 ? lines : [...lines.slice(0, maxLines), `| and ${formatNumber(rest)} more | | | |`];
  }
}

function listLines(node: ShapeNode, path: string, depth: number): string[] {
  const lines = [formatNode(node, path)];
  if (depth === 0) return lines;
  for (const [name, child] of node.children) {
    const childPath = name === ELEMENTS ? `${path}[]` : name === ANY_KEY ? `${path}.*` : `${path}${formatKey(name)}`;
    lines.push(...listLines(child, childPath, depth - 1));
  }
  return lines;
}

function formatNode(node: ShapeNode, path: string): string {
  const kinds = [
    ...(node.objects > 0 ? ["object"] : []),
    ...(node.arrays > 0 ? [`array of ${formatNumber(node.children.get(ELEMENTS)?.count ?? 0)}`] : []),
    ...(node.values.count > 0 ? [node.values.describe()] : []),
  ];
  const samples = node.values.samples().join("; ");
  return `| ${path.replaceAll("|", "\\|")} | ${kinds.join(", ")} | ${formatNumber(node.count)} | ${samples} |`;
}
