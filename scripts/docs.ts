// Writes the files of docs/ that are made from the table of settings.
import { writeFileSync } from "node:fs";
import { docFiles } from "../src/config/describe.ts";

const folder = new URL("../docs/", import.meta.url);

for (const [name, text] of Object.entries(docFiles())) {
  writeFileSync(new URL(name, folder), text);
  console.error(`docs/${name}`);
}
