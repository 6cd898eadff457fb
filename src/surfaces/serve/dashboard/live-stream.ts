/** Events of an owner as server-sent events, as they are logged on this machine. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { followEvents } from "../../../telemetry/follow-events.ts";

/** Proxies end a connection on which nothing happens. */
const BEAT_MS = 20_000;

/** Streams until the browser leaves or the server stops. */
export async function sendLive(response: ServerResponse, eventFolder: string, stopping: AbortSignal): Promise<void> {
  const closed = new AbortController();
  response.on("close", () => closed.abort());
  const signal = AbortSignal.any([closed.signal, stopping]);
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-accel-buffering": "no",
  });
  response.write("retry: 3000\n\n");
  const beat = setInterval(() => response.write(": beat\n\n"), BEAT_MS);
  try {
    for await (const event of followEvents(eventFolder, { signal })) {
      const isFull = !response.write(`data: ${JSON.stringify(event)}\n\n`);
      if (isFull && !signal.aborted) await once(response, "drain", { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    clearInterval(beat);
    response.end();
  }
}
