/** Limits the requests that are worked on at the same time. A request counts until its reply is written. */
import type { JSONRPCRequest, RequestId } from "@modelcontextprotocol/server";

export type QueueLimits = {
  /** Tool calls and reads of resources, which open files and connections. */
  readonly calls: number;
  /** All other requests. They are answered at once, so more of them means that the client does not read. */
  readonly others: number;
  /** Requests that wait, by number and size. */
  readonly waiting: number;
  readonly waitingBytes: number;
};

export interface RequestQueue {
  /** Starts the request now or later; false if too many wait already. */
  add(request: JSONRPCRequest, sizeBytes: number): boolean;
  /** Frees the place of a request whose reply is written. */
  finish(id: RequestId): void;
  /** Frees the place of a cancelled request, which gets no reply. True if it had not been started. */
  cancel(id: RequestId): boolean;
  /** Resolves when no request waits or is worked on. */
  idle(): Promise<void>;
  readonly isIdle: boolean;
}

/** Creates a queue that hands requests to `start`, in order. */
export function createRequestQueue(start: (request: JSONRPCRequest) => void, limits: QueueLimits): RequestQueue {
  const lanes = { calls: createLane(limits.calls), others: createLane(limits.others) };
  const waiters: (() => void)[] = [];
  const everyLane = [lanes.calls, lanes.others];
  const count = (sum: (lane: Lane) => number): number => everyLane.reduce((total, lane) => total + sum(lane), 0);
  const isIdle = (): boolean => everyLane.every(({ running, waiting }) => running.length === 0 && waiting.length === 0);

  function startNext(lane: Lane): void {
    while (lane.running.length < lane.maxRunning) {
      const next = lane.waiting.shift();
      if (next === undefined) return;
      lane.waitingBytes -= next.sizeBytes;
      lane.running.push(next.request.id);
      start(next.request);
    }
  }

  function finish(id: RequestId): void {
    const lane = everyLane.find((each) => removeRunning(each, id));
    if (lane !== undefined) startNext(lane);
    reportIdle();
  }

  function reportIdle(): void {
    if (isIdle()) for (const done of waiters.splice(0)) done();
  }

  return {
    add(request, sizeBytes) {
      const isFull =
        count(({ waiting }) => waiting.length) >= limits.waiting ||
        count(({ waitingBytes }) => waitingBytes) + sizeBytes > limits.waitingBytes;
      const lane = callMethods.includes(request.method) ? lanes.calls : lanes.others;
      if (isFull && lane.running.length >= lane.maxRunning) return false;
      lane.waiting.push({ request, sizeBytes });
      lane.waitingBytes += sizeBytes;
      startNext(lane);
      return true;
    },
    finish,
    cancel(id) {
      const wasWaiting = everyLane.some((lane) => removeWaiting(lane, id));
      if (wasWaiting) reportIdle();
      else finish(id);
      return wasWaiting;
    },
    idle: () => new Promise((done) => (isIdle() ? done() : waiters.push(done))),
    get isIdle() {
      return isIdle();
    },
  };
}

const callMethods: readonly string[] = ["tools/call", "resources/read", "resources/list"];

type Lane = {
  readonly maxRunning: number;
  readonly running: RequestId[];
  readonly waiting: { readonly request: JSONRPCRequest; readonly sizeBytes: number }[];
  waitingBytes: number;
};

const createLane = (maxRunning: number): Lane => ({ maxRunning, running: [], waiting: [], waitingBytes: 0 });

function removeWaiting(lane: Lane, id: RequestId): boolean {
  const index = lane.waiting.findIndex(({ request }) => request.id === id);
  if (index === -1) return false;
  lane.waitingBytes -= lane.waiting.splice(index, 1)[0]?.sizeBytes ?? 0;
  return true;
}

function removeRunning(lane: Lane, id: RequestId): boolean {
  const index = lane.running.indexOf(id);
  return index !== -1 && lane.running.splice(index, 1).length === 1;
}
