/** Every web search provider, in the order in which they are tried. A new one is a file and a line here. */
import { brave } from "./providers/brave.ts";
import { exa } from "./providers/exa.ts";
import { google } from "./providers/google.ts";
import { kagi } from "./providers/kagi.ts";
import { searxng } from "./providers/searxng.ts";
import { tavily } from "./providers/tavily.ts";
import type { WebProvider } from "./web-provider.ts";

export const webProviders: readonly WebProvider[] = [exa, brave, tavily, kagi, google, searxng];
