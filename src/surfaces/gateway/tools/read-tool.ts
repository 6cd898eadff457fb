/** The one tool that the gateway adds: it reads on in what was kept, and its calls never reach a server. */
import type { ClientProfile } from "../../../config/clients.ts";
import type { Session } from "../../../session/session.ts";
import { callTool } from "../../../tools/call-tool.ts";
import { inputSchema } from "../../../tools/parameters.ts";
import { readArtifactTool } from "../../../tools/read-artifact.ts";
import { type JsonObject, keyOf, type RequestId, readRevision, writeError, writeResult } from "../json-rpc.ts";

export type ReadTool = {
  /** A server's own tool of the same name keeps it. */
  readonly name: string;
  yieldName(): void;
  /** Adds a sentence to its description. */
  addNote(note: string): void;
  /** Its definition, as it is listed. */
  describe(): JsonObject;
  /** The line that answers a call; undefined if the call was cancelled. */
  answer(id: RequestId, params: JsonObject, client: ClientProfile | undefined): Promise<string | undefined>;
  cancel(id: RequestId): void;
};

/** The tool for one connection. */
export function createReadTool(session: Session): ReadTool {
  const calls = new Map<string, AbortController>();
  const notes = new Set<string>();
  let { name } = readArtifactTool;

  async function answer(id: RequestId, params: JsonObject, client: ClientProfile | undefined) {
    const controller = new AbortController();
    calls.set(keyOf(id), controller);
    try {
      const signal = AbortSignal.any([session.signal, controller.signal]);
      const reply = await callTool(readArtifactTool, params.arguments ?? {}, {
        ...session,
        signal,
        client: client && { ...client, form: "text" },
      });
      const content = reply.blocks.map(({ text }) => ({ type: "text", text }));
      // Results name their type in the revision in which requests name their revision.
      const type = readRevision({ params }) === undefined ? {} : { resultType: "complete" };
      return writeResult(id, { ...type, content, isError: reply.isError });
    } catch (error) {
      if (controller.signal.aborted) return undefined;
      return writeError(id, -32603, error instanceof Error ? error.message : String(error));
    } finally {
      calls.delete(keyOf(id));
    }
  }

  return {
    get name() {
      return name;
    },
    yieldName() {
      name = `spillway_${readArtifactTool.name}`;
    },
    addNote: (note) => void notes.add(note),
    describe: () => describeTool(name, [...notes]),
    answer,
    cancel: (id) => calls.get(keyOf(id))?.abort(),
  };
}

function describeTool(name: string, notes: readonly string[]): JsonObject {
  const { title, about, input, hints } = readArtifactTool;
  return {
    name,
    title,
    description: [about, ...notes].join(" "),
    inputSchema: { ...inputSchema(input), type: "object" },
    annotations: { title, ...hints },
    _meta: { "anthropic/alwaysLoad": true },
  };
}
