/** All commands in the order the help shows them. A command's code is loaded when it is called. */
import type { Command } from "./command.ts";

export type CommandEntry = { readonly name: string; readonly about: string; load(): Promise<Command> };

export const commands: readonly CommandEntry[] = [
  {
    name: "fetch",
    about: "Answer a source with bounded text and keep it whole.",
    load: async () => (await import("./commands/fetch-command.ts")).fetchCommand,
  },
  {
    name: "read",
    about: "Read a part of a kept artifact.",
    load: async () => (await import("./commands/read-command.ts")).readCommand,
  },
  {
    name: "cat",
    about: "Print everything: all text, or all bytes with --raw.",
    load: async () => (await import("./commands/cat-command.ts")).catCommand,
  },
  {
    name: "detect",
    about: "Tell what kind of content a file holds, and why.",
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
    name: "artifacts",
    about: "List, show, remove and sweep kept artifacts.",
    load: async () => (await import("./commands/artifacts-command.ts")).artifactsCommand,
  },
  {
    name: "events",
    about: "Show what happened during a run.",
    load: async () => (await import("./commands/events-command.ts")).eventsCommand,
  },
  {
    name: "run",
    about: "Work on a task with a model and the tools.",
    load: async () => (await import("./commands/run-command.ts")).runCommand,
  },
  {
    name: "mcp",
    about: "Serve the tools to an agent over MCP.",
    load: async () => (await import("./commands/mcp-command.ts")).mcpCommand,
  },
  {
    name: "proxy",
    about: "Pass model requests on; send one refused for its size again, smaller.",
    load: async () => (await import("./commands/proxy-command.ts")).proxyCommand,
  },
  {
    name: "classify-error",
    about: "Tell what a provider's refusals mean.",
    load: async () => (await import("./commands/classify-error-command.ts")).classifyErrorCommand,
  },
  {
    name: "doctor",
    about: "Check the installation, the settings and the store.",
    load: async () => (await import("./commands/doctor-command.ts")).doctorCommand,
  },
];
