/** Reads the bytes of one kept file, for handlers that run in this process. */
import { stat } from "node:fs/promises";
import { toBody } from "../acquire/spooled-body.ts";
import { SpillwayError, systemCode } from "../errors.ts";
import type { LocalFile } from "./handler.ts";

/** The file from its start, chunk by chunk. An abort is thrown as the signal's own reason. */
export function readBytes(file: LocalFile, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  return readChecked(file, signal, false);
}

/** The same, all in one buffer: each chunk is valid until the next one is asked for. For long texts, which need no copy. */
export function readBytesInPlace(file: LocalFile, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  return readChecked(file, signal, true);
}

async function* readChecked(file: LocalFile, signal: AbortSignal, inPlace: boolean): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  try {
    for await (const chunk of toBody(file.content, file.sizeBytes).stream({ inPlace })) {
      signal.throwIfAborted();
      yield chunk;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw readError(file, error);
  }
}

/** Throws if the file is gone, for a handler that needs none of its bytes. */
export async function assertFileExists(file: LocalFile, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (!("path" in file.content)) return;
  await stat(file.content.path).catch((error: unknown) => {
    throw readError(file, error);
  });
}

function readError({ content }: LocalFile, cause: unknown): SpillwayError {
  const name = "path" in content ? content.path : "in memory";
  if (systemCode(cause) === "ENOENT") {
    return new SpillwayError("artifact_damaged", `The kept file ${name} is gone.`, {
      hint: "Fetch the source again to keep a new copy.",
      cause,
    });
  }
  return new SpillwayError("store_unavailable", `The kept file ${name} cannot be read.`, {
    hint: "Check the disk and the permissions of the store's folder, then try again.",
    cause,
  });
}
