/** Server-sent events, as a stream of bytes and back. */

export type SseEvent = {
  readonly data: string;
  readonly id?: string;
  /** How long to wait before connecting again, in milliseconds. */
  readonly retryMs?: number;
  /** As the sender wrote it; an event without one is a message. */
  readonly name?: string;
};

/** A longer event is a fault of its sender. */
const MAX_EVENT_CHARS = 64 * 1024 * 1024;

/** The events of a body. An unfinished event at its end is dropped, as browsers do. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<SseEvent> {
  const decoder = new TextDecoder();
  let pending: string[] = [];
  let pendingChars = 0;
  let fields: string[] = [];
  for await (const chunk of body) {
    const lines = decoder.decode(chunk, { stream: true }).split("\n");
    for (const [index, part] of lines.entries()) {
      pending.push(part);
      pendingChars += part.length;
      if (pendingChars > MAX_EVENT_CHARS) throw new Error(`an event has more than ${MAX_EVENT_CHARS} characters`);
      if (index === lines.length - 1) continue;
      const line = pending.join("").replace(/\r$/, "");
      pending = [];
      if (line !== "") {
        fields.push(line);
        continue;
      }
      const event = parseEvent(fields);
      [fields, pendingChars] = [[], 0];
      if (event !== undefined) yield event;
    }
  }
}

function parseEvent(lines: readonly string[]): SseEvent | undefined {
  const data: string[] = [];
  const event: { id?: string; retryMs?: number; name?: string } = {};
  for (const line of lines) {
    const [, name = "", value = ""] = /^([^:]*):? ?([\s\S]*)$/.exec(line) ?? [];
    if (name === "data") data.push(value);
    else if (name === "id") event.id = value;
    else if (name === "event") event.name = value;
    else if (name === "retry" && /^\d{1,9}$/.test(value)) event.retryMs = Number(value);
  }
  return lines.length === 0 ? undefined : { ...event, data: data.join("\n") };
}

/** An event as it is sent; a message has no line breaks. */
export function writeEvent({ data, id, retryMs, name }: SseEvent): string {
  const lines = [
    ...(name === undefined ? [] : [`event: ${name}`]),
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(retryMs === undefined ? [] : [`retry: ${retryMs}`]),
    ...data.split("\n").map((line) => `data: ${line}`),
  ];
  return `${lines.join("\n")}\n\n`;
}
