/** The overflow proxy for the owners of the server: what is removed from a request is kept for the token's owner. */
import type { ArtifactStore } from "../../../artifacts/artifact-store.ts";
import type { Settings } from "../../../config/settings.ts";
import { openRecovery } from "../../../overflow/open-recovery.ts";
import type { Recovery } from "../../../overflow/recovery.ts";
import type { Session } from "../../../session/session.ts";
import { createProxyHandler } from "../../proxy/proxy-handler.ts";
import { parseUpstreams } from "../../proxy/upstreams.ts";
import { tooMany } from "../guard/admission.ts";
import { createFairQueue, QueueFullError } from "../guard/fair-queue.ts";
import { TOKEN_HEADER } from "../guard/llm-token.ts";
import { waitForEnd } from "../http/open-answer.ts";
import { LLM_PATH } from "../llm-path.ts";
import type { Owners } from "../owners.ts";
import { refuse } from "../refusal.ts";
import type { Route } from "../routes.ts";

export type LlmOptions = { readonly owners: Owners; readonly settings: Settings };

export type LlmService = Disposable & {
  readonly route: Route;
  /** The names of the providers. */
  readonly upstreams: readonly string[];
  /** Requests at a provider. */
  readonly running: number;
};

/** Requests that are at a provider at once. Most of their time is waiting, so there may be more of them than calls. */
const MAX_RUNNING = 256;
const MAX_RUNNING_PER_OWNER = 32;

/** What is between a client and us, and must not reach the provider. */
const ownHeaders = [
  TOKEN_HEADER,
  "spillway-client",
  "cookie",
  "referer",
  "forwarded",
  "via",
  "x-real-ip",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-port",
  "x-forwarded-proto",
  "x-forwarded-server",
];

/** What a provider may decide for its own address and not for ours, where the dashboard is too. */
const hiddenHeaders = [
  "set-cookie",
  "clear-site-data",
  "strict-transport-security",
  "alt-svc",
  "content-security-policy",
  "content-security-policy-report-only",
  "x-content-type-options",
  "access-control-allow-origin",
  "access-control-allow-credentials",
  "access-control-allow-headers",
  "access-control-allow-methods",
  "access-control-expose-headers",
  "access-control-max-age",
];

/** Disposing ends the connections to providers. */
export function openLlm({ owners, settings }: LlmOptions): LlmService {
  const upstreams = parseUpstreams(settings["proxy.upstreams"]);
  const handler = createProxyHandler({
    upstreams,
    path: LLM_PATH,
    bodyBytes: settings["proxy.body_bytes"],
    ownHeaders,
    hiddenHeaders,
  });
  const queue = createFairQueue({
    running: MAX_RUNNING,
    runningPerOwner: MAX_RUNNING_PER_OWNER,
    waitingPerOwner: settings["serve.owner_waiting"],
  });
  const recoveries = new WeakMap<ArtifactStore, Recovery>();

  /** One for each session of an owner, because it remembers conversations. */
  function recoveryOf(session: Session): Recovery {
    const recovery = recoveries.get(session.store) ?? openRecovery(session, { isRemote: true });
    recoveries.set(session.store, recovery);
    return recovery;
  }

  const route: Route = {
    name: "llm",
    path: LLM_PATH,
    hasPathsBelow: true,
    methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
    access: "llm",
    async serve({ request, response, caller, target }) {
      // A page of a provider would be shown under the address of the dashboard.
      response.setHeader("content-security-policy", "sandbox; default-src 'none'");
      response.setHeader("x-content-type-options", "nosniff");
      const left = new AbortController();
      response.once("close", () => left.abort());
      try {
        await queue.run(caller.owner, left.signal, async () => {
          using opened = await owners.open(caller);
          const { session } = opened;
          const recovery = recoveryOf(session);
          await handler.serve({ request, response, target, recovery, folders: session.spoolFolders });
          await waitForEnd(response);
        });
      } catch (error) {
        if (error instanceof QueueFullError) return refuse(response, tooMany(error.message, 1));
        if (!left.signal.aborted) throw error;
      }
    },
  };
  return {
    route,
    upstreams: [...upstreams.keys()],
    get running() {
      return queue.running;
    },
    [Symbol.dispose]: () => handler[Symbol.dispose](),
  };
}
