/**
 * The promise of every reply: its text and its fields, measured exactly as they leave, stay within the
 * budget, within what the client accepts, and within one message.
 */
import type { ClientProfile } from "../config/clients.ts";
import { SpillwayError } from "../errors.ts";
import { type Bound, type Budget, type ClientLimit, listClientLimits } from "./budget.ts";
import { toLeanFields } from "./lean-fields.ts";
import { OVERHEAD_CHARS, WIRE_BYTES } from "./limits.ts";
import { countBytes, findLargestPassing } from "./measure.ts";
import { FIELDS_CHARS, measurePlainSize } from "./serialized-size.ts";

/** A reply as it leaves: text and structured content are each complete alone. */
type ReplyForms = {
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>>;
  readonly links: readonly object[];
};

/** The limits of the client, and which form of a reply it gets. Without a form, each form fits alone. */
export type FittedClient = { readonly limit: ClientLimit } & Partial<Pick<ClientProfile, "form" | "countsJson">>;

/** The reply with as much content as fits. `compose` makes it for a number of characters of content, down to none. */
export function fitReply<R extends ReplyForms>(
  compose: (chars: number, bound: Bound) => R,
  budget: Budget,
  client: FittedClient | undefined,
): R {
  const fullReply = compose(budget.chars, budget.bound);
  const fits = (reply: R) => isWithinBudget(reply, budget) && isWithinClient(reply, client);
  if (fits(fullReply)) return fullReply;
  const bound = isWithinBudget(fullReply, budget) ? "client" : budget.bound;
  const chars = findLargestPassing(0, budget.chars - 1, (candidate) => fits(compose(candidate, bound)));
  const reply = compose(chars, bound);
  // For a client with hardly any room the bare facts still leave; they are within the allowance.
  if (isWithinBudget(reply, budget)) return reply;
  throw new SpillwayError("reply_too_large", "The reply does not fit, even without any content.", {
    hint: "The tool's render function must return less when it is given fewer characters.",
  });
}

/** Whether each form is within the content that was asked for plus the allowance for what is beside it. */
function isWithinBudget({ text, structured }: ReplyForms, { chars }: Budget): boolean {
  return text.length <= chars + OVERHEAD_CHARS && measurePlainSize(structured) <= chars + FIELDS_CHARS;
}

/** Whether what the client gets is within its limits, and both forms within one message. */
function isWithinClient(reply: ReplyForms, client: FittedClient | undefined): boolean {
  const { text, structured } = reply;
  if (countBytes(JSON.stringify(text)) + countBytes(JSON.stringify(structured)) > WIRE_BYTES) return false;
  const shown = listShownForms(reply, client);
  return listClientLimits(client?.limit).every(({ max, measure }) => shown.every((form) => measure(form) <= max));
}

/** What a model may be shown, each measured alone. Clients count everything, escapes too. */
export function listShownForms(reply: ReplyForms, client: Omit<FittedClient, "limit"> = {}): string[] {
  const { form, countsJson } = client;
  const json = () => JSON.stringify(reply.structured);
  const text = countsJson ? JSON.stringify(reply.text) : reply.text;
  if (form === "text") return [text];
  if (form === "structured") return [takeFirstLine(reply.text) + JSON.stringify(toLeanFields(reply.structured))];
  const withLinks = text + reply.links.map((link) => JSON.stringify(link)).join("");
  return form === "both" ? [withLinks + json()] : [withLinks, json()];
}

/** The line that goes beside structured content: the summary, or the sentence of an error. */
export function takeFirstLine(text: string): string {
  const end = text.indexOf("\n");
  return end === -1 ? text : text.slice(0, end);
}
