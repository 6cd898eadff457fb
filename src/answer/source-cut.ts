/** Says why only the beginning of a source was kept, and what brings the rest. */
import type { SourceCut } from "../acquire/source.ts";
import type { ArtifactFacts } from "../artifacts/record.ts";
import { formatSize } from "./phrases.ts";

type CutFacts = Pick<ArtifactFacts, "size_bytes" | "source_cut_by">;

/** Why each cut was made, as the end of a sentence, and the next step. */
const cuts: Readonly<Record<SourceCut, { readonly reason: string; readonly hint: string }>> = {
  size_limit: {
    reason: "it is larger than what is kept of one source",
    hint: "Raise the setting artifacts.source_bytes and fetch it again.",
  },
  disk: { reason: "the disk took no more", hint: "Free space where SPILLWAY_HOME is, and fetch it again." },
  connection: { reason: "the download broke off", hint: "Fetch it again for the rest." },
  timeout: {
    reason: "the time limit was reached",
    hint: "Raise the setting network.timeout and fetch it again.",
  },
  server: { reason: "the server sent only a part", hint: "Fetch it again for the rest." },
};

/** `Only the first 64 MB of the source were kept: the download broke off.` Older records do not say why. */
export function describeCut({ size_bytes, source_cut_by: by }: CutFacts): string {
  const fact = `Only the first ${formatSize(size_bytes)} of the source were kept`;
  return by === undefined ? `${fact}.` : `${fact}: ${cuts[by].reason}.`;
}

/** What to do to get the whole source. */
export function hintForCut({ source_cut_by: by }: CutFacts): string {
  return cuts[by ?? "size_limit"].hint;
}

/** `cut (the download broke off)`: why a document that is not whole cannot be read. */
export function reasonForCut({ source_cut_by: by }: CutFacts): string {
  return by === undefined ? "cut" : `cut (${cuts[by].reason})`;
}
