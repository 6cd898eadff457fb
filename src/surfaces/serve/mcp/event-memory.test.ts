import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";
import { createEventMemory } from "./event-memory.ts";

const noteOf = (text: string): JSONRPCMessage => ({ jsonrpc: "2.0", method: "note", params: { text } });

async function replay(store: EventStore, id: string): Promise<unknown[]> {
  const sent: unknown[] = [];
  await store.replayEventsAfter(id, { send: async (_, message) => void sent.push(message) });
  return sent;
}

describe("remembered events", () => {
  test("a stream is sent again from an event on, without those of other streams", async () => {
    const events = createEventMemory(1_000_000).openSession();
    const first = await events.storeEvent("a", noteOf("1"));
    await events.storeEvent("b", noteOf("other"));
    await events.storeEvent("a", noteOf("2"));
    await events.storeEvent("a", noteOf("3"));
    assert.deepEqual(await replay(events, first), [noteOf("2"), noteOf("3")]);
    assert.ok(events.has(first));
  });

  test("no session gets the events of another, not even by their ids", async () => {
    const memory = createEventMemory(1_000_000);
    const [one, other] = [memory.openSession(), memory.openSession()];
    const id = await one.storeEvent("a", noteOf("secret"));
    await one.storeEvent("a", noteOf("secret"));
    assert.equal(other.has(id), false);
    await assert.rejects(replay(other, id), /not remembered/);
  });

  test("the oldest are forgotten, so memory is bounded, and a session takes its own along", async () => {
    const memory = createEventMemory(10_000);
    const events = memory.openSession();
    const first = await events.storeEvent("a", noteOf("x".repeat(1_000)));
    for (let count = 0; count < 100; count++) await events.storeEvent("a", noteOf("x".repeat(1_000)));
    assert.ok(memory.sizeBytes <= 10_000, `${memory.sizeBytes} bytes`);
    assert.equal(events.has(first), false);
    events[Symbol.dispose]();
    assert.equal(memory.sizeBytes, 0);
  });

  test("an event that is larger than all of the memory is forgotten at once", async () => {
    const memory = createEventMemory(1_000);
    await memory.openSession().storeEvent("a", noteOf("x".repeat(5_000)));
    assert.equal(memory.sizeBytes, 0);
  });
});
