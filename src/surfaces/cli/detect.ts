/** `spillway detect`: what a file is and which signal said so; nothing is kept. */
import { acquire } from "../../acquire/acquire.ts";
import { findSource } from "../../acquire/source.ts";
import { confirmKind } from "../../detect/confirm.ts";
import { detectContentKind } from "../../detect/detect.ts";
import type { Claims, Detection } from "../../detect/kind.ts";
import type { Call, Command } from "./command.ts";
import { forEachInput, textOption } from "./each.ts";
import { jsonLine } from "./output.ts";

export const detectCommand: Command = {
  usage: "detect <file|-|data:>...",
  about: "Decides the kind of each file from its bytes, its name and what is claimed about it.",
  options: {
    "content-type": { type: "string", value: "TYPE", about: "Stands in for the Content-Type header." },
    url: { type: "string", value: "URL", about: "Stands in for the file's name." },
  },
  async run(call) {
    return forEachInput(call, async (input) => {
      const detection = await detect(input, call);
      await call.terminal.out(call.json ? jsonLine(jsonFields(input, detection)) : textLines(input, detection));
    });
  },
};

async function detect(input: string, call: Call): Promise<Detection> {
  const { settings, signal, spoolFolders, ...context } = call.session();
  const options = { folders: spoolFolders, capBytes: settings["artifacts.source_bytes"], signal };
  await using acquired = await acquire(findSource(input, context), options);
  const claims = { ...acquired.claims, ...stoodIn(call) };
  return await confirmKind(acquired.body, claims, detectContentKind(claims));
}

function stoodIn(call: Call): Partial<Claims> {
  const contentType = textOption(call, "content-type");
  const url = textOption(call, "url");
  return {
    ...(contentType === undefined ? {} : { headers: { "content-type": contentType } }),
    ...(url === undefined ? {} : { url }),
  };
}

function jsonFields(input: string, { kind, mediaType, charset, decidedBy, signals }: Detection) {
  return {
    source_url: input,
    content_kind: kind,
    media_type: mediaType,
    charset,
    decided_by: decidedBy,
    signals,
  };
}

function textLines(input: string, { kind, mediaType, charset, decidedBy, signals }: Detection): string {
  const type = charset === null ? mediaType : `${mediaType}; charset=${charset}`;
  const notes = signals.notes.map((note) => `  ${note}\n`).join("");
  return `${input}: ${kind} (${type}), decided by ${decidedBy}\n${notes}`;
}
