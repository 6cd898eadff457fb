/** A folder with files and a session that searches them, for tests of code search. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { defaultSettings, type Settings } from "../src/config/settings.ts";
import { searchCode } from "../src/search/search.ts";
import type { SearchInput } from "../src/search/search-input.ts";
import { openSession, type SessionOptions } from "../src/session/session.ts";
import { makeTemporaryFolder } from "./bodies.ts";
import { patientSearch } from "./waiting.ts";

/** Every search looks at the folder again, so that it finds what a test has just written. */
export async function openSearchedFolder(settings: Partial<Settings> = {}, more: SessionOptions = {}) {
  const folder = await makeTemporaryFolder();
  const root = join(folder.path, "work");
  mkdirSync(root);
  const home = join(folder.path, "home");
  const all = { ...defaultSettings, ...patientSearch, home, "search.refresh_every": 0, ...settings };
  const session = await openSession({ settings: all, cwd: root, ...more });
  return {
    root,
    session,
    write(path: string, text: string) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    search: (query: string, input: Partial<SearchInput> = {}) => searchCode({ query, ...input }, session),
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
