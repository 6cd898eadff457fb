/** Gemini CLI takes its address from the environment, and then accepts only a login that its settings name. */
import { homedir } from "node:os";
import { join } from "node:path";
import { parseJsonObject } from "./json-config.ts";
import type { Launcher } from "./launcher.ts";
import { linkFolder } from "./linked-folder.ts";

export const geminiLauncher: Launcher = {
  name: "gemini",
  title: "Gemini CLI",
  source: "google-gemini/gemini-cli docs: GOOGLE_GEMINI_BASE_URL, GEMINI_CLI_HOME, security.auth.selectedType",
  async prepare({ gemini }, { env, folder }) {
    const address = { GOOGLE_GEMINI_BASE_URL: gemini };
    if (env.GEMINI_API_KEY === undefined) return { env: address, args: [] };
    const home = env.GEMINI_CLI_HOME ?? env.HOME ?? homedir();
    const copy = join(folder, "gemini");
    await linkFolder(join(home, ".gemini"), join(copy, ".gemini"), "settings.json", selectKey);
    return { env: { ...address, GEMINI_CLI_HOME: copy }, args: [] };
  },
};

type GeminiSettings = { readonly security?: { readonly auth?: object } };

/** The settings with the login by API key. */
function selectKey(text: string | undefined): string {
  const settings: GeminiSettings = parseJsonObject(text === undefined ? undefined : removeComments(text));
  const auth = { ...settings.security?.auth, selectedType: "gemini-api-key" };
  return JSON.stringify({ ...settings, security: { ...settings.security, auth } });
}

/** Its settings may have comments. Strings are matched first, because an address in one has two slashes. */
function removeComments(text: string): string {
  return text.replace(/("(?:\\.|[^"\\])*")|\/\/.*|\/\*[\s\S]*?\*\//g, (_, string: string | undefined) => string ?? " ");
}
