/** All commands, in the order of the help. A command's code is loaded only when it is called. */
import type { CommandEntry } from "./command.ts";

export const commands: readonly CommandEntry[] = [
  {
    name: "fetch",
    about: "Fetch a source: print text that fits, keep the complete source.",
    load: async () => (await import("./commands/fetch-command.ts")).fetchCommand,
  },
  {
    name: "read",
    about: "Read part of an artifact.",
    load: async () => (await import("./commands/read-command.ts")).readCommand,
  },
  {
    name: "cat",
    about: "Print the whole text, or all bytes with --raw.",
    load: async () => (await import("./commands/cat-command.ts")).catCommand,
  },
  {
    name: "detect",
    about: "Show what kind of content a source holds, and why.",
    load: async () => (await import("./commands/detect-command.ts")).detectCommand,
  },
  {
    name: "index",
    about: "Index a folder of code for search.",
    load: async () => (await import("./commands/index-command.ts")).indexCommand,
  },
  {
    name: "search",
    about: "Find the lines of code that answer a question.",
    load: async () => (await import("./commands/search-command.ts")).searchCommand,
  },
  {
    name: "web-search",
    about: "Find web pages through a search provider.",
    load: async () => (await import("./commands/web-search-command.ts")).webSearchCommand,
  },
  {
    name: "artifacts",
    about: "List, show, remove and sweep artifacts.",
    load: async () => (await import("./commands/artifacts-command.ts")).artifactsCommand,
  },
  {
    name: "store",
    about: "Check and repair the store, and count what is in it.",
    load: async () => (await import("./commands/store-command.ts")).storeCommand,
  },
  {
    name: "events",
    about: "Show what happened during a run.",
    load: async () => (await import("./commands/events-command.ts")).eventsCommand,
  },
  {
    name: "stats",
    about: "Show what was kept out of context, per day, run, client or tool.",
    load: async () => (await import("./commands/stats-command.ts")).statsCommand,
  },
  {
    name: "run",
    about: "Run an agent on a task, with a model and the tools.",
    load: async () => (await import("./commands/run-command.ts")).runCommand,
  },
  {
    name: "mcp",
    about: "Serve the tools to an agent over MCP.",
    load: async () => (await import("./commands/mcp-command.ts")).mcpCommand,
  },
  {
    name: "serve",
    about: "Serve the tools to a team over HTTP.",
    load: async () => (await import("./commands/serve-command.ts")).serveCommand,
  },
  {
    name: "token",
    about: "Make, list and revoke the tokens of serve.",
    load: async () => (await import("./commands/token-command.ts")).tokenCommand,
  },
  {
    name: "install",
    about: "Add the MCP server to the clients on this machine.",
    load: async () => (await import("./commands/install-command.ts")).installCommand,
  },
  {
    name: "uninstall",
    about: "Take the MCP server out of clients again.",
    load: async () => (await import("./commands/install-command.ts")).uninstallCommand,
  },
  {
    name: "with",
    about: "Run an agent's client with overflow recovery: spillway with claude.",
    load: async () => (await import("./commands/with-command.ts")).withCommand,
  },
  {
    name: "gateway",
    about: "Put another MCP server behind a relay that bounds its results.",
    load: async () => (await import("./commands/gateway-command.ts")).gatewayCommand,
  },
  {
    name: "wrap",
    about: "Put the MCP servers of your clients behind the gateway.",
    load: async () => (await import("./commands/wrap-command.ts")).wrapCommand,
  },
  {
    name: "unwrap",
    about: "Take MCP servers out of the gateway again.",
    load: async () => (await import("./commands/wrap-command.ts")).unwrapCommand,
  },
  {
    name: "proxy",
    about: "LLM proxy: retry a request once, smaller, if it is refused for its size.",
    load: async () => (await import("./commands/proxy-command.ts")).proxyCommand,
  },
  {
    name: "classify-error",
    about: "Explain a provider's error responses.",
    load: async () => (await import("./commands/classify-error-command.ts")).classifyErrorCommand,
  },
  {
    name: "doctor",
    about: "Check the installation, the settings and the store.",
    load: async () => (await import("./commands/doctor-command.ts")).doctorCommand,
  },
  {
    name: "completion",
    about: "Print the completion script for a shell.",
    load: async () => (await import("./commands/completion-command.ts")).completionCommand,
  },
];
