/** A request as it is sent: what the client gave, and the edits that were applied to it. */
import { type Stub, stubEdit } from "./shed.ts";
import type { Edit } from "./wire/json-edits.ts";
import { editOutgoing, type Outgoing } from "./wire/outgoing-request.ts";

export type Prepared = {
  readonly given: Outgoing;
  readonly sent: Outgoing;
  /** All edits that turn `given` into `sent`, by path. */
  readonly edits: ReadonlyMap<string, Edit>;
  /** The texts of the stubs among them, by path. */
  readonly stubs: ReadonlyMap<string, string>;
};

/** A request that is sent as it was given. */
export function prepareUnchanged(given: Outgoing): Prepared {
  return { given, sent: given, edits: new Map(), stubs: new Map() };
}

/**
 * The request with more edits. They are applied to what was given and not to what was sent before, so that a shorter
 * excerpt can replace a longer one.
 */
export function addEdits(prepared: Prepared, clamp: readonly Edit[], stubs: readonly Stub[]): Prepared {
  if (clamp.length + stubs.length === 0) return prepared;
  const { given } = prepared;
  const newEdits = [...clamp, ...stubs.map(stubEdit)].map((edit): [string, Edit] => [edit.path.join("."), edit]);
  const edits = new Map([...prepared.edits, ...newEdits]);
  const texts = stubs.map(({ part, text }): [string, string] => [part.path.join("."), text]);
  return {
    given,
    edits,
    sent: editOutgoing(given, [...edits.values()]),
    stubs: new Map([...prepared.stubs, ...texts]),
  };
}
