/**
 * React streams slow parts of a page after it, hidden (`<div hidden id="S:1">`), with a script that moves each to its
 * place (`<template id="B:1">`). Puts them there, since no script runs here.
 */
import type { Element } from "./tree.ts";

type Movable = { -readonly [K in keyof Element]: Element[K] };

/** Each move looks through the siblings of both places; a page streams some dozens of parts. */
const mostParts = 500;

/** Moves the streamed parts of a tree to their places and gives all its elements in document order again. */
export function placeStreamed(elements: readonly Element[]): readonly Element[] {
  const places = new Map<string, Element>();
  const parts: Element[] = [];
  for (const element of elements) {
    const { id } = element.attributes;
    if (id === undefined || id[1] !== ":") continue;
    if (element.tag === "template" && id.startsWith("B:")) places.set(id.slice(2), element);
    if (element.hidden && id.startsWith("S:")) parts.push(element);
  }
  if (parts.length === 0) return elements;
  for (const part of parts.slice(0, mostParts)) {
    const name = (part.attributes.id ?? "").slice(2);
    place(part, places.get(name));
    places.delete(name);
  }
  return renumbered(elements[0] as Element);
}

/** Without a place of its own a part is shown where it is. */
function place(part: Movable, template: Movable | undefined): void {
  part.hidden = false;
  if (template?.parent == null || isInside(template, part)) return;
  const from = part.parent?.children ?? [];
  from.splice(from.indexOf(part), 1);
  const into = template.parent.children;
  into.splice(into.indexOf(template), 1, part);
  part.parent = template.parent;
}

function isInside(element: Element, ancestor: Element): boolean {
  for (let one: Element | null = element; one !== null; one = one.parent) if (one === ancestor) return true;
  return false;
}

function renumbered(root: Element): readonly Element[] {
  const elements: Element[] = [];
  const stack: Element[] = [root];
  for (let element: Movable | undefined = stack.pop(); element !== undefined; element = stack.pop()) {
    element.index = elements.length;
    element.end = element.index + 1;
    elements.push(element);
    for (let at = element.children.length - 1; at >= 0; at -= 1) {
      const child = element.children[at];
      if (typeof child === "object") stack.push(child);
    }
  }
  return elements;
}
