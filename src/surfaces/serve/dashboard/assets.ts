/** The static files of the dashboard, read once. They are beside this module, or beside the bundle in the package. */
import { readFile } from "node:fs/promises";

export const assetNames = [
  "dashboard.css",
  "dashboard.js",
  "elements.js",
  "charts.js",
  "days.js",
  "formats.js",
  "activity-views.js",
  "outcome-views.js",
  "content-views.js",
  "icon.svg",
] as const;

export type AssetName = (typeof assetNames)[number] | "dashboard.html" | "welcome.html";

const texts = new Map<AssetName, Promise<string>>();

export function readAsset(name: AssetName): Promise<string> {
  const known = texts.get(name);
  if (known !== undefined) return known;
  const text = readFile(new URL(`assets/${name}`, import.meta.url), "utf8");
  texts.set(name, text);
  // A failure is tried again.
  text.catch(() => texts.delete(name));
  return text;
}
