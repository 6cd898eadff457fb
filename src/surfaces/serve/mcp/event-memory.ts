/** The newest events of all sessions, so that a client whose connection broke gets what it missed (`Last-Event-ID`). */
import { randomBytes } from "node:crypto";
import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

/** The events of one session. */
export type SessionEvents = EventStore &
  Disposable & {
    /** Whether an event is remembered. */
    has(id: string): boolean;
  };

export interface EventMemory {
  /** No other session can ask for its events. */
  openSession(): SessionEvents;
  /** Bytes of all events. */
  readonly sizeBytes: number;
}

type Event = {
  readonly session: symbol;
  readonly stream: string;
  readonly message: JSONRPCMessage;
  readonly sizeBytes: number;
};

/** About what an event costs besides its message. */
const EVENT_BYTES = 200;

/** The oldest events are forgotten when all together are larger than this. */
export function createEventMemory(maxBytes: number): EventMemory {
  /** In the order in which they were sent. */
  const events = new Map<string, Event>();
  /** Another process must not take an id of this one for its own. */
  const prefix = randomBytes(6).toString("base64url");
  let [sizeBytes, count] = [0, 0];

  function remove(id: string, event: Event): void {
    events.delete(id);
    sizeBytes -= event.sizeBytes;
  }

  function add(event: Event): string {
    const id = `${prefix}-${++count}`;
    events.set(id, event);
    sizeBytes += event.sizeBytes;
    for (const [oldId, old] of events) {
      if (sizeBytes <= maxBytes) break;
      remove(oldId, old);
    }
    return id;
  }

  function openSession(): SessionEvents {
    const session = Symbol("session");
    const find = (id: string): Event | undefined => {
      const event = events.get(id);
      return event?.session === session ? event : undefined;
    };
    return {
      async storeEvent(stream, message) {
        const chars = JSON.stringify(message).length;
        return add({ session, stream, message, sizeBytes: 2 * chars + EVENT_BYTES });
      },
      // The SDK is not told the stream of an event: it would refuse a client whose broken connection was not noticed here yet.
      has: (id) => find(id) !== undefined,
      async replayEventsAfter(lastId, { send }) {
        const last = find(lastId);
        if (last === undefined) throw new Error("The event is not remembered.");
        const missed = [...events].filter(([, event]) => event.session === session && event.stream === last.stream);
        const start = missed.findIndex(([id]) => id === lastId) + 1;
        for (const [id, { message }] of missed.slice(start)) if ("jsonrpc" in message) await send(id, message);
        return last.stream;
      },
      [Symbol.dispose]() {
        for (const [id, event] of events) if (event.session === session) remove(id, event);
      },
    };
  }

  return {
    openSession,
    get sizeBytes() {
      return sizeBytes;
    },
  };
}
