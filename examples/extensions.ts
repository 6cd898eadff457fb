/**
 * A format handler and a tool of your own, through the contract that the built-in ones use. As a user of the package you
 * would import from "spillway".
 */
import { defineTool, type Handler, makeBudget, outputSchema, readBytes } from "../src/index.ts";

/** Reads subtitle files (.srt) as plain dialogue, without numbers and times. */
export const subtitles: Handler = {
  name: "subtitles",
  version: 1,
  runs: "inline",
  canHandle: (kind, mediaType) => kind === "text" && mediaType === "application/x-subrip",

  async *extract(file, { from }, signal) {
    const bytes = Buffer.concat(await Array.fromAsync(readBytes(file, signal)));
    const lines = bytes.toString("utf8").split(/\r?\n/);
    const dialogue = lines.filter((line) => line !== "" && !/^\d+$|-->/.test(line));
    yield { info: {} };
    signal.throwIfAborted();
    if (from > 0 || dialogue.length === 0) return;
    yield { segment: { index: 0, kind: "whole", label: "dialogue", text: dialogue.join("\n"), marks: [] } };
  },
};

/** Lists what this owner has kept. It needs no parameters. */
export const listArtifacts = defineTool({
  name: "list_artifacts",
  title: "List artifacts",
  about: "Lists the sources that are kept, with the artifact_ref of each. Read one with read_artifact.",
  input: {},
  output: outputSchema({ artifacts: { type: "array", items: { type: "string" } } }),
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },

  async run(_, { store, settings }) {
    const lines: string[] = [];
    for await (const entry of store.list()) {
      if ("record" in entry) lines.push(`${entry.record.artifact_ref} ${entry.record.source_url}`);
    }
    return {
      budget: makeBudget({ default: settings["fit.read_chars"] }),
      render(chars) {
        const shown = lines.slice(0, Math.floor(chars / 200));
        const summary = `${shown.length} of ${lines.length} artifacts.`;
        return { summary, notices: [], body: shown.join("\n"), structured: { artifacts: shown } };
      },
    };
  },
});
