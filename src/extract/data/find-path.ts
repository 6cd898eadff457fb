/** Finds the value at a path in the events of a scanner. */
import type { PathStep } from "./path-steps.ts";
import type { TreeEvents } from "./tree-events.ts";

/** How far a path leads, and what is there instead of the next step. */
export type PathMiss = {
  /** How many steps lead to something. */
  readonly depth: number;
  readonly kind: "object" | "array" | "value";
  /** Some of the names of the object. */
  readonly names: readonly string[];
  /** How many values the object or array has. */
  readonly size: number;
};

const MAX_NAMES = 12;
const REPEATED_NAME = /\[[1-9]\d*\]$/;

/** An open object or array on the way to the value; null where it is beside the way. */
type Frame = { readonly kind: "object" | "array"; size: number; readonly names: string[] } | null;

export class PathFinder implements TreeEvents {
  isDone = false;
  /** Where the value is, once it is found. */
  found: { readonly start: number; readonly end: number } | undefined;
  miss: PathMiss | undefined;
  readonly #steps: readonly PathStep[];
  readonly #frames: Frame[] = [];
  #key = "";
  #start: number | undefined;
  /** How many objects and arrays are open around the value that was found. */
  #foundDepth = 0;

  constructor(steps: readonly PathStep[]) {
    this.#steps = steps;
  }

  open(kind: "object" | "array", at: number): void {
    const isOnPath = this.#start === undefined && this.#enter(at);
    this.#frames.push(isOnPath && this.#start === undefined ? { kind, size: 0, names: [] } : null);
  }

  close(end: number): void {
    const frame = this.#frames.pop();
    if (this.#start !== undefined && this.#frames.length === this.#foundDepth) this.#finish(end);
    else if (frame) this.#noteMiss(frame.kind, frame);
  }

  key(name: string): void {
    this.#key = name;
    const frame = this.#frames.at(-1);
    // Of XML elements with the same name one is enough to know the name.
    if (frame && frame.names.length < MAX_NAMES && !REPEATED_NAME.test(name)) frame.names.push(name);
  }

  value(_text: string, _isQuoted: boolean, at: number, end: number): void {
    if (this.#start !== undefined || !this.#enter(at)) return;
    if (this.#start === undefined) this.#noteMiss("value", { size: 0, names: [] }, this.#frames.length);
    else this.#finish(end);
  }

  /** Whether the path leads to, or through, the value that begins here. */
  #enter(at: number): boolean {
    const depth = this.#frames.length;
    const parent = this.#frames.at(-1);
    if (depth > 0 && !parent) return false;
    if (parent) {
      const step = this.#steps[depth - 1];
      const place = parent.kind === "array" ? parent.size : this.#key;
      parent.size++;
      if (place !== step && !(parent.kind === "object" && place === String(step))) return false;
    }
    if (depth === this.#steps.length) [this.#start, this.#foundDepth] = [at, depth];
    return true;
  }

  #finish(end: number): void {
    this.found = { start: this.#start ?? 0, end };
    this.isDone = true;
  }

  #noteMiss(
    kind: PathMiss["kind"],
    { size, names }: Pick<PathMiss, "size" | "names">,
    depth: number = this.#frames.length,
  ): void {
    if (this.miss === undefined || depth > this.miss.depth) this.miss = { depth, kind, names, size };
  }
}
