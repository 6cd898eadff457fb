/** `get_search_content`: what an earlier call stored, by responseId, or one artifact, by ref. */

import { findResponse } from "../artifacts/responses.ts";
import { SpillwayError } from "../errors.ts";
import type { LinkStyle, Mode } from "../extract/handler.ts";
import { makeSourceBudget } from "../fit/budget.ts";
import { readArtifact } from "../verbs/read.ts";
import { storedOutput } from "./output-fields.ts";
import type { Input } from "./parameters.ts";
import { findLinks, findMode, renderRead } from "./read-artifact.ts";
import {
  maxCharsField,
  offsetField,
  readHints,
  refField,
  responseIdField,
  trimRef,
  urlIndexField,
} from "./shared-parameters.ts";
import { chooseEntries, describeStored, draftListing, nothingStoredError } from "./stored-entries.ts";
import { defineTool, type ReplyDraft, type ToolSession } from "./tool.ts";

const fields = {
  responseId: responseIdField,
  artifact_ref: { ...refField, about: "An artifact_ref instead of a responseId: af_ and 32 hex digits." },
  query: {
    type: "text",
    about: "A query that was stored with the results, exactly as it was sent.",
    aliases: ["prompt"],
  },
  queryIndex: { type: "integer", example: 0, about: "The index of a stored query, from 0." },
  url: { type: "text", about: "A stored address." },
  urlIndex: urlIndexField,
  maxChars: maxCharsField,
  offset: offsetField,
} as const;

export const getSearchContentTool = defineTool({
  name: "get_search_content",
  isUnlisted: true,
  title: "Get stored content",
  about:
    "Returns content that an earlier call stored under a responseId. Choose by urlIndex or url (or by a stored query); " +
    "without a choice it lists what is stored. A truncated reply gives next_offset, where to continue.",
  input: fields,
  output: storedOutput,
  hints: readHints,
  async run(input, session) {
    const { responseId: id, artifact_ref: ref } = findHandles(input);
    if (ref !== undefined) return readStored(ref, { mode: "markdown", links: "inline" }, input, session, {});
    if (id === undefined)
      throw usageError("responseId is missing.", "Send the responseId, or an artifact_ref, of an earlier reply.");
    const { responseId, entries } = await findResponse(session.store, id);
    const chosenEntries = chooseEntries(entries, input);
    const [only] = chosenEntries;
    if (chosenEntries.length !== 1 || only === undefined || !wantsContent(input))
      return draftListing(responseId, chosenEntries, session);
    const { entry } = only;
    if (entry.artifact_ref === null) throw nothingStoredError(entry);
    const written = { mode: findMode(entry), links: findLinks(entry) };
    return readStored(entry.artifact_ref, written, input, session, describeStored(responseId, entry));
  },
});

/** The form of a handle says what it is, whichever parameter holds it. */
function findHandles({ responseId, artifact_ref }: Input<typeof fields>): {
  responseId?: string;
  artifact_ref?: string;
} {
  const handles = [responseId, artifact_ref].filter((handle) => handle !== undefined).map(trimRef);
  const ref = handles.find((handle) => handle.startsWith("af_"));
  const id = handles.find((handle) => !handle.startsWith("af_"));
  return id === undefined ? (ref === undefined ? {} : { artifact_ref: ref }) : { responseId: id };
}

type StoredInput = Input<typeof fields>;

function wantsContent({ query, queryIndex, url, urlIndex, maxChars, offset }: StoredInput): boolean {
  return [query, queryIndex, url, urlIndex, maxChars, offset].some((value) => value !== undefined);
}

async function readStored(
  ref: string,
  written: { readonly mode: Mode; readonly links: LinkStyle },
  { maxChars, offset }: StoredInput,
  session: ToolSession,
  extraFields: Readonly<Record<string, unknown>>,
): Promise<ReplyDraft> {
  const { read: budget } = makeSourceBudget(session.settings, { requested: maxChars });
  const answer = await readArtifact(ref, { ...written, budget, offset }, session);
  return {
    budget,
    render(chars, bound) {
      const rendered = renderRead(answer, chars, bound);
      return { ...rendered, structured: { ...extraFields, ...rendered.structured } };
    },
  };
}

function usageError(sentence: string, hint: string): SpillwayError {
  return new SpillwayError("usage", sentence, { hint });
}
