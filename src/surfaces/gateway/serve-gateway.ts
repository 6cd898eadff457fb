/** `spillway gateway`: one server behind the relay, over standard streams. */
import { setTimeout as pause } from "node:timers/promises";
import type { Session } from "../../session/session.ts";
import { createRelay } from "./relay.ts";
import { splitLines } from "./split-lines.ts";
import type { ToolRules } from "./tool-rules.ts";
import { startUpstream, type UpstreamOptions } from "./upstream.ts";

export type GatewayOptions = UpstreamOptions & {
  readonly session: Session;
  readonly rules: ToolRules;
  /** The name of the server in the client's config, where it is known. */
  readonly configName?: string | undefined;
  /** The name of the server in records. */
  readonly name: string;
  readonly client?: string | undefined;
  readonly input: AsyncIterable<Uint8Array>;
  out(text: string): Promise<void>;
  log(sentence: string): void;
};

/** How long the last lines of a stopped server are waited for. */
const DRAIN_MS = 1_000;

/** Serves until the client closes its side (true), or until the server ends by itself (false). */
export async function serveGateway(options: GatewayOptions): Promise<boolean> {
  const { session, log, rules, client, configName, name: server } = options;
  const upstream = startUpstream(options);
  const toClient = (line: string) => options.out(`${line}\n`);
  const relay = createRelay({ session, server, rules, client, configName, toClient, toServer: upstream.write, log });
  const fromServer = pass(upstream.lines, relay.fromServer);
  const fromClient = pass(splitLines(options.input), relay.fromClient);
  const first = await Promise.race([
    fromServer.then((problem) => ({ side: "server", problem })),
    fromClient.then((problem) => ({ side: "client", problem })),
    waitForAbort(session.signal).then(() => ({ side: "client", problem: undefined })),
  ]);
  if (first.problem !== undefined) log(`${first.side}: ${first.problem}`);
  await Promise.race([upstream.stop(), first.side === "server" ? upstream.ended : pause(0)]);
  const reason = first.problem ?? (await upstream.ended);
  await Promise.race([fromServer, pause(DRAIN_MS)]);
  if (first.side === "client") return true;
  log(reason);
  await relay.fail(`${reason} Check the command of ${server}, then start it again.`);
  return false;
}

/** Handles every line in order. Returns what is wrong with the stream, if anything. */
async function pass(
  lines: AsyncIterable<string>,
  handle: (line: string) => Promise<void>,
): Promise<string | undefined> {
  try {
    for await (const line of lines) await handle(line);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
