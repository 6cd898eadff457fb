/** Calls tools in tests: in memory, below a temporary folder, with events recorded. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { defaultSettings, type Settings } from "../src/config/settings.ts";
import { openSession } from "../src/session/session.ts";
import type { Event } from "../src/telemetry/events.ts";
import { callTool } from "../src/tools/call-tool.ts";
import type { ToolSession } from "../src/tools/tool.ts";
import { findTool } from "../src/tools/tools.ts";
import { makeTemporaryFolder } from "./bodies.ts";
import { patientSearch } from "./waiting.ts";

/** The word in the fence around untrusted content. */
export const TEST_WORD = "testword";

export async function openTools(settings: Partial<Settings> = {}) {
  const folder = await makeTemporaryFolder();
  const session = await openSession({
    settings: { ...defaultSettings, ...patientSearch, ...settings },
    cwd: folder.path,
    confined: true,
    inMemory: true,
    makeFenceWord: () => TEST_WORD,
  });
  const events: Event[] = [];
  const emit = (event: Event) => void events.push(event);
  return {
    session,
    events,
    folder: folder.path,
    async call(name: string, input: unknown, more: Partial<ToolSession> = {}) {
      const tool = findTool(name);
      if (tool === undefined) throw new Error(`There is no tool ${name}.`);
      const reply = await callTool(tool, input, { ...session, emit, ...more });
      return { ...reply, fields: reply.structured };
    },
    async write(name: string, content: string | Uint8Array): Promise<string> {
      await mkdir(dirname(join(folder.path, name)), { recursive: true });
      await writeFile(join(folder.path, name), content);
      return name;
    },
    [Symbol.asyncDispose]: folder[Symbol.asyncDispose],
  };
}
