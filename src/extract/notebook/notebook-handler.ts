/** The notebook handler: Jupyter notebooks as text and code, without the pictures' bytes. */
import type { Handler } from "../handler.ts";
import { runEngine } from "../pool/run-engine.ts";
import { text } from "../text-handler.ts";

export const notebook: Handler = {
  name: "notebook",
  version: 1,
  runs: "child",
  canHandle: (kind, mediaType) => kind === "text" && mediaType === "application/x-ipynb+json",
  extract: (file, options, signal) =>
    options.mode === "raw" ? text.extract(file, options, signal) : runEngine("notebook", file, options, signal),
};
