/**
 * The promise of every reply: its text and its fields, measured exactly as they leave, stay within the
 * budget, within what the client accepts, and within one message.
 */
import { SpillwayError } from "../errors.ts";
import { type Bound, type Budget, type ClientLimit, listClientLimits } from "./budget.ts";
import { OVERHEAD_CHARS, WIRE_BYTES } from "./limits.ts";
import { countBytes, findLargestPassing } from "./measure.ts";
import { FIELDS_CHARS, measurePlainSize } from "./serialized-size.ts";

/** A reply as it leaves: text and structured content are each complete alone. */
type ReplyForms = {
  readonly text: string;
  readonly structured: object;
  readonly links: readonly object[];
};

/** The reply with as much content as fits. `compose` makes it for a number of characters of content, down to none. */
export function fitReply<R extends ReplyForms>(
  compose: (chars: number, bound: Bound) => R,
  budget: Budget,
  client: ClientLimit | undefined,
): R {
  const fullReply = compose(budget.chars, budget.bound);
  const bound = isWithinBudget(fullReply, budget) ? "client" : budget.bound;
  if (bound === "client" && isWithinClient(fullReply, client)) return fullReply;
  const fits = (reply: R) => isWithinBudget(reply, budget) && isWithinClient(reply, client);
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

/** Whether each form is within the client's limits, and both within one message. Clients count everything, escapes too. */
function isWithinClient({ text, structured, links }: ReplyForms, client: ClientLimit | undefined): boolean {
  const json = JSON.stringify(structured);
  if (countBytes(JSON.stringify(text)) + countBytes(json) > WIRE_BYTES) return false;
  const forms = [text + links.map((link) => JSON.stringify(link)).join(""), json];
  return listClientLimits(client).every(({ max, measure }) => forms.every((form) => measure(form) <= max));
}
