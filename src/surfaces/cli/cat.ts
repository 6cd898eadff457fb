/** `spillway cat`: the one unbounded pipe, for scripts: all the text of an artifact or file, or all its bytes. */
import { bodyOf } from "../../acquire/body.ts";
import { failureSentence } from "../../answer/extract.ts";
import { SpillwayError } from "../../errors.ts";
import { type Extract, extractText } from "../../extract/extract.ts";
import { handlerFor } from "../../extract/handlers.ts";
import { type TakenIn, takeIn } from "../../ingest.ts";
import type { Session } from "../../session.ts";
import type { Call, Command } from "./command.ts";
import { forEachInput } from "./each.ts";
import { modeOption, modeRow } from "./mode.ts";
import { jsonLine } from "./output.ts";

export const catCommand: Command = {
  usage: "cat <artifact_ref|file>...",
  about: "Prints the whole text of each artifact or file, without any limit.",
  options: {
    raw: { type: "boolean", about: "Print the bytes as they are instead of their text." },
    mode: modeRow,
  },
  async run(call) {
    const session = call.session();
    return forEachInput(call, async (input) => {
      await using opened = await open(input, session);
      await (call.values.raw === true ? printBytes(opened, call) : printText(opened, call, session.signal));
    });
  },
};

type Opened = AsyncDisposable & Pick<TakenIn, "facts" | "content" | "objects">;

async function open(input: string, session: Session): Promise<Opened> {
  if (!/^af_/.test(input)) return takeIn(input, session);
  const { store } = session;
  const facts = await store.find(input);
  const file = await store.local(facts);
  return {
    facts,
    content: { path: file.path },
    objects: store.objects,
    [Symbol.asyncDispose]: file[Symbol.asyncDispose],
  };
}

async function printBytes({ content, facts }: Opened, { terminal }: Call): Promise<void> {
  for await (const chunk of bodyOf(content, facts.size_bytes).stream()) await terminal.out(chunk);
}

async function printText(opened: Opened, call: Call, signal: AbortSignal): Promise<void> {
  const { facts } = opened;
  const handler = handlerFor(facts.content_kind, facts.media_type);
  const extract = await extractText({ ...opened, handler, mode: modeOption(call), enough: () => false, signal });
  const failure = extract.ended?.failed ?? null;
  const error = failure && failureSentence(facts, failure);
  const hasText = extract.extent.segments > 0;
  if (call.json) {
    const text = hasText ? await wholeText(extract) : null;
    await call.terminal.out(jsonLine({ ...facts, ...extractionFields(extract), ...(error ? { error } : {}), text }));
    return;
  }
  for await (const { text } of extract.from({ chars: -1 })) await call.terminal.out(text);
  if (hasText && error === null) return;
  throw new SpillwayError("source_unreadable", error ?? `${facts.name} has no text to print.`, {
    hint: "With --raw its bytes are printed.",
  });
}

function extractionFields({ extent, ended, handler }: Extract) {
  return { handler, extracted_chars: extent.chars, extraction_truncated: ended === null };
}

async function wholeText(extract: Extract): Promise<string> {
  const texts = await Array.fromAsync(extract.from({ chars: -1 }), ({ text }) => text);
  return texts.join("");
}
