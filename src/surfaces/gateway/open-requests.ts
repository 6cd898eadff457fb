/** The requests of a client that a server has not answered yet. Calls have a deadline. */
import { type Deadline, startDeadline } from "./deadline.ts";
import { keyOf, type RequestId } from "./json-rpc.ts";
import type { SentRequest } from "./result-editor.ts";

/** A request that the server has not answered. */
export type OpenRequest = SentRequest & { readonly id: RequestId };

export type OpenRequests = {
  readonly size: number;
  add(request: OpenRequest, progressToken: unknown): void;
  /** The request that an answer is for; undefined if there is none, or no longer. */
  take(id: RequestId): OpenRequest | undefined;
  takeAll(): readonly OpenRequest[];
  /** A server that reports progress is at work, so its time begins again. */
  extend(progressToken: unknown): void;
};

export type OpenOptions = {
  /** How long a call may take. */
  readonly timeoutMs: number;
  /** Called with a call whose time is over; it is not open any more. */
  expire(request: OpenRequest): void;
};

type Entry = { readonly request: OpenRequest; readonly token: unknown; readonly deadline: Deadline | undefined };

/** No requests yet. */
export function createOpenRequests({ timeoutMs, expire }: OpenOptions): OpenRequests {
  const open = new Map<string, Entry>();

  function add(request: OpenRequest, token: unknown): void {
    const pass = (): void => {
      if (take(request.id) !== undefined) expire(request);
    };
    // Other requests may wait for something to happen.
    const deadline = request.method === "tools/call" ? startDeadline(timeoutMs, pass) : undefined;
    take(request.id);
    open.set(keyOf(request.id), { request, token, deadline });
  }

  function take(id: RequestId): OpenRequest | undefined {
    const entry = open.get(keyOf(id));
    open.delete(keyOf(id));
    entry?.deadline?.clear();
    return entry?.request;
  }

  return {
    get size() {
      return open.size;
    },
    add,
    take,
    takeAll: () => [...open.values()].flatMap(({ request }) => take(request.id) ?? []),
    extend(progressToken) {
      if (progressToken === undefined) return;
      for (const { token, deadline } of open.values()) if (token === progressToken) deadline?.restart();
    },
  };
}
