/** Fits a ranked list of texts: whole items only, best first. */
import { type Budget, findExcess } from "./budget.ts";
import { fitText } from "./fit-text.ts";

type FittedItems = {
  readonly text: string;
  /** How many of the items are in the text. */
  readonly count: number;
};

/** As many whole items as the budget holds. The first one is cut rather than left out. */
export async function fitItems(
  items: AsyncIterable<string> | Iterable<string>,
  separator: string,
  budget: Budget,
): Promise<FittedItems> {
  let result: FittedItems = { text: "", count: 0 };
  for await (const item of items) {
    const text = result.count === 0 ? item : result.text + separator + item;
    if (findExcess(text, budget) === null) result = { text, count: result.count + 1 };
    else if (result.count > 0) break;
    else return { text: fitText({ text, offset: 0, totalChars: text.length }, budget).text, count: 1 };
  }
  return result;
}
