/** A request as it is sent: the original of the client, and what was changed in it. */

import type { Edit } from "../system/json-edits.ts";
import type { Change } from "./memory/remembered-change.ts";
import { makeStubEdit, type Stub } from "./shed.ts";
import { editOutgoing, type OutgoingRequest } from "./wire/outgoing-request.ts";

export type PreparedRequest = {
  readonly original: OutgoingRequest;
  readonly outgoing: OutgoingRequest;
  /** Edits that lower the output limit. */
  readonly clamp: readonly Edit[];
  /** All stubs in it, by path. */
  readonly stubs: ReadonlyMap<string, Stub>;
};

/** A request that is sent unchanged. */
export function prepareUnchanged(original: OutgoingRequest): PreparedRequest {
  return { original, outgoing: original, clamp: [], stubs: new Map() };
}

/** Whether anything in it differs from what the client sent. */
export function isChanged({ original, outgoing }: PreparedRequest): boolean {
  return outgoing !== original;
}

/**
 * The request with more changes. They are applied to the original and not to what was sent before, so that a shorter
 * excerpt can replace a longer one.
 */
export function changeRequest(prepared: PreparedRequest, change: Change): PreparedRequest {
  if (change.clamp.length + change.stubs.length === 0) return prepared;
  const { original } = prepared;
  const stubs = new Map([
    ...prepared.stubs,
    ...change.stubs.map((stub): [string, Stub] => [stub.part.path.join("."), stub]),
  ]);
  const clamp = change.clamp.length > 0 ? change.clamp : prepared.clamp;
  return {
    original,
    clamp,
    stubs,
    outgoing: editOutgoing(original, [...clamp, ...[...stubs.values()].map(makeStubEdit)]),
  };
}
