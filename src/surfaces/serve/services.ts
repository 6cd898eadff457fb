/** What is served beside our own tools: the proxy for providers, and wrapped servers. Both are off unless they are set. */
import type { Session } from "../../session/session.ts";
import type { FairQueue } from "./guard/fair-queue.ts";
import type { LlmService } from "./llm/llm-service.ts";
import type { Owners } from "./owners.ts";
import type { WrappedServers } from "./servers/wrapped-servers.ts";

export type ServicesOptions = {
  /** The session of the operator. */
  readonly session: Session;
  readonly owners: Owners;
  readonly queue: FairQueue;
  readonly log: (line: string) => void;
};

export type Services = AsyncDisposable & {
  readonly llm: LlmService | undefined;
  readonly wrapped: WrappedServers | undefined;
};

/** Loads only what the settings turn on. Throws if it cannot be used. */
export async function openServices(options: ServicesOptions): Promise<Services> {
  const { session, owners } = options;
  const { settings } = session;
  await using opened = new AsyncDisposableStack();
  const hasServers = settings["serve.servers"].length > 0;
  const wrapped = hasServers && (await import("./servers/wrapped-servers.ts")).openWrappedServers(options);
  const hasLlm = settings["serve.llm"] === "on";
  const llm = hasLlm && (await import("./llm/llm-service.ts")).openLlm({ owners, settings });
  const services = { wrapped: opened.use((await wrapped) || undefined), llm: opened.use(llm || undefined) };
  const parts = opened.move();
  return { ...services, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}
