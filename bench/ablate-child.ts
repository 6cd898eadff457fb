/** Measures a share of the HTML rules in its own process and sends each result as it comes. */
import { measureRules } from "./ablate-pages.ts";
import { htmlRules } from "./ablate-rules.ts";

/** Which rules a child measures, on how many pages of each set. */
export type ChildTask = { readonly names: readonly string[]; readonly sample: number };

const { names, sample }: ChildTask = JSON.parse(process.argv[2] ?? "{}");
const rules = htmlRules.filter(({ name }) => names.includes(name));
for await (const message of measureRules(rules, sample)) process.send?.(message);
process.disconnect?.();
