/** Says which web search providers are configured; without one, looks for a SearXNG on this machine. */
import { SpillwayError } from "../../../errors.ts";
import type { Session } from "../../../session/session.ts";
import { findConfigured, makeUnconfiguredError } from "../../../web/web-access.ts";
import type { Check } from "./check.ts";

/** The ports that a SearXNG listens on: of its container, and of its own server. */
const usualPorts = [8080, 8888];

/** A server on this machine answers at once; anything slower is not worth the wait. */
const PROBE_TIMEOUT_MS = 1_000;
const MAX_PROBE_BYTES = 4 * 1024 * 1024;

/** No provider is not a fault: the tools are not listed then. A setting that cannot be used is one. */
export async function checkWebSearch(
  session: Pick<Session, "settings" | "env" | "network" | "signal">,
  ports: readonly number[] = usualPorts,
): Promise<Check> {
  const name = "web search";
  try {
    const configured = findConfigured(session.settings, session.env).map(({ provider }) => provider.name);
    if (configured.length > 0) return { name, ok: true, detail: `asks ${configured.join(", then ")}` };
  } catch (error) {
    if (!(error instanceof SpillwayError)) throw error;
    return { name, ok: false, detail: error.advice };
  }
  const address = (await Promise.all(ports.map((port) => findSearxng(port, session)))).find(Boolean);
  const advice = `A SearXNG answers at ${address}: set SPILLWAY_WEB_ADDRESSES=searxng=${address} to use it.`;
  return { name, ok: true, detail: address === undefined ? makeUnconfiguredError().advice : advice };
}

/** The address of the SearXNG on this port, recognised by its public configuration; undefined where there is none. */
async function findSearxng(
  port: number,
  { network, signal }: Pick<Session, "network" | "signal">,
): Promise<string | undefined> {
  const address = `http://127.0.0.1:${port}`;
  try {
    const text = await network?.requestService(new URL(`${address}/config`), {
      timeoutMs: PROBE_TIMEOUT_MS,
      maxBytes: MAX_PROBE_BYTES,
      signal,
    });
    const config: unknown = JSON.parse(text ?? "");
    const isSearxng = typeof config === "object" && config !== null && "engines" in config && "instance_name" in config;
    return isSearxng ? address : undefined;
  } catch {
    signal.throwIfAborted();
    return undefined; // Nothing listens there, or something else does.
  }
}
