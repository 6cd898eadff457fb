/**
 * React streams slow parts of a page after the rest, hidden (`<div hidden id="S:1">`), with a script that moves each to
 * its place (`<template id="B:1">`). No script runs here, so this module moves them.
 */
import type { Element } from "./tree.ts";

type Mutable = { -readonly [K in keyof Element]: Element[K] };

/** Each move searches the siblings of both places; a page streams a few dozen parts. */
const MAX_PARTS = 500;

/** Moves the streamed parts of a tree to their places and returns all its elements in document order. */
export function moveStreamedParts(elements: readonly Element[]): readonly Element[] {
  const places = new Map<string, Element>();
  const parts: Element[] = [];
  for (const element of elements) {
    const { id } = element.attributes;
    if (id === undefined || id[1] !== ":") continue;
    if (element.tag === "template" && id.startsWith("B:")) places.set(id.slice(2), element);
    if (element.hidden && id.startsWith("S:")) parts.push(element);
  }
  if (parts.length === 0) return elements;
  for (const part of parts.slice(0, MAX_PARTS)) {
    const name = (part.attributes.id ?? "").slice(2);
    movePart(part, places.get(name));
    places.delete(name);
  }
  return renumber(elements[0] as Element);
}

/** A part without a template is shown where it is. */
function movePart(part: Mutable, template: Mutable | undefined): void {
  part.hidden = false;
  if (template?.parent == null || isWithin(template, part)) return;
  const oldSiblings = part.parent?.children ?? [];
  oldSiblings.splice(oldSiblings.indexOf(part), 1);
  const newSiblings = template.parent.children;
  newSiblings.splice(newSiblings.indexOf(template), 1, part);
  part.parent = template.parent;
}

/** Whether an element is the other one or one of its descendants. */
function isWithin(element: Element, other: Element): boolean {
  for (let ancestor: Element | null = element; ancestor !== null; ancestor = ancestor.parent)
    if (ancestor === other) return true;
  return false;
}

function renumber(root: Element): readonly Element[] {
  const elements: Element[] = [];
  const stack: Element[] = [root];
  for (let element: Mutable | undefined = stack.pop(); element !== undefined; element = stack.pop()) {
    element.index = elements.length;
    element.end = element.index + 1;
    elements.push(element);
    for (let index = element.children.length - 1; index >= 0; index -= 1) {
      const child = element.children[index];
      if (typeof child === "object") stack.push(child);
    }
  }
  return elements;
}
