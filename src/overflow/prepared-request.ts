/** A request as it is sent: the original of the client, and the edits that are applied to it. */

import type { Edit } from "../system/json-edits.ts";
import { makeStubEdit, type Stub } from "./shed.ts";
import { editOutgoing, type OutgoingRequest } from "./wire/outgoing-request.ts";

export type PreparedRequest = {
  readonly original: OutgoingRequest;
  readonly outgoing: OutgoingRequest;
  /** All edits that turn `original` into `outgoing`, by path. */
  readonly edits: ReadonlyMap<string, Edit>;
  /** The texts of the stubs among them, by path. */
  readonly stubs: ReadonlyMap<string, string>;
};

/** A request that is sent unchanged. */
export function prepareUnchanged(original: OutgoingRequest): PreparedRequest {
  return { original, outgoing: original, edits: new Map(), stubs: new Map() };
}

/**
 * The request with more edits. They are applied to the original and not to what was sent before, so that a shorter
 * excerpt can replace a longer one.
 */
export function addEdits(prepared: PreparedRequest, clamp: readonly Edit[], stubs: readonly Stub[]): PreparedRequest {
  if (clamp.length + stubs.length === 0) return prepared;
  const { original } = prepared;
  const newEdits = [...clamp, ...stubs.map(makeStubEdit)].map((edit): [string, Edit] => [edit.path.join("."), edit]);
  const edits = new Map([...prepared.edits, ...newEdits]);
  const texts = stubs.map(({ part, text }): [string, string] => [part.path.join("."), text]);
  return {
    original,
    edits,
    outgoing: editOutgoing(original, [...edits.values()]),
    stubs: new Map([...prepared.stubs, ...texts]),
  };
}
