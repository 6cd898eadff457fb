/** What answers say about a web page: which method gave its text, how much of it was kept, whether it needs scripts. */
import type { Description, Info } from "../handler.ts";
import type { Method } from "./strategies.ts";
import { htmlWeights } from "./weights.ts";

/** The facts that only the HTML handler states. */
export type HtmlFacts = {
  /** The share of the page's text that was kept, from 0 to 1. */
  readonly keptShare: number;
  /** The page shows its text only after running scripts. */
  readonly needsJs: boolean;
  /** The address that links in the text are relative to. */
  readonly linkBase: string;
};

/** The fields that only web pages have. */
export type HtmlFields = {
  /** The share of the page's text that was kept, from 0 to 1. */
  readonly kept_share?: number;
  /** Whether the page shows its text only after running scripts. */
  readonly needs_js?: boolean;
  /** The address that links in the text are relative to; absent if none is. */
  readonly link_base?: string;
};

/** The facts of a page as fields and warnings. */
export function describeHtml(info: Info<HtmlFacts>): Description {
  const { keptShare, needsJs, linkBase } = info;
  const fields: HtmlFields = {
    ...(keptShare !== undefined && { kept_share: Number(keptShare.toFixed(3)) }),
    ...(needsJs !== undefined && { needs_js: needsJs }),
    ...(linkBase !== undefined && { link_base: linkBase }),
  };
  return { fields, warnings: warningsOf(info), needsScripts: needsJs === true };
}

/** A page whose main content was not found in the usual way says which method gave its text. */
function warningsOf({ method = "main", keptShare = 1, needsJs }: Info<HtmlFacts>): string[] {
  // Also true of a page whose scripts were run.
  if (needsJs) return ["The page builds its text with scripts, and little of it is in this HTML."];
  const warning = methodWarnings[method] ?? "";
  if (warning !== "") return [warning];
  if (keptShare >= htmlWeights.strategies.minUsualShare) return [];
  return [`The main content is ${Math.ceil(100 * keptShare)} % of the page's text; mode raw shows the whole source.`];
}

const methodWarnings: Readonly<Record<string, string>> = {
  main: "",
  raw: "",
  mild: "The main content could not be identified with certainty, so little was left out of the page.",
  hidden: "The text was taken from parts of the page that are hidden until scripts run.",
  noscript: "The text was taken from what the page shows to browsers without scripts.",
  "json-ld": "The text was taken from the structured data of the page (JSON-LD); its markup has almost none.",
  payload: "The text was taken from the data that the page passes to its scripts; its markup has almost none.",
  full: "The main content could not be identified: this is all the text of the page.",
  linear: "The page was too large to be parsed, or its parser failed: this is all its text, without structure.",
} satisfies Record<Method | "raw", string>;
