/** The proxy as a user opens it: on a session's settings and store, with the tally of what it saved. */
import type { SavedTally } from "../../answer/overflow-reply.ts";
import type { ArtifactStore } from "../../artifacts/artifact-store.ts";
import { openRecovery } from "../../overflow/open-recovery.ts";
import type { Session } from "../../session/session.ts";
import type { Emit, Event } from "../../telemetry/events.ts";
import type { ProxyUrls } from "./clients/launcher.ts";
import { openProxy } from "./proxy-server.ts";
import { parseUpstreams, type Upstreams } from "./upstreams.ts";

export type UserProxy = AsyncDisposable & {
  readonly url: string;
  readonly upstreams: Upstreams;
  /** The base URLs that clients are given. */
  readonly urls: ProxyUrls;
  /** What recovery has done so far. */
  readonly tally: () => SavedTally;
};

export type UserProxyOptions = {
  readonly session: Pick<Session, "settings" | "store" | "emit" | "trace" | "spoolFolders">;
  /** 0 chooses a free port. */
  readonly port: number;
  /** Whether the path must begin with the token. */
  readonly hasToken: boolean;
  /** Addresses in these variables are where the user's requests go already. They replace the upstreams of the settings. */
  readonly env?: Readonly<Record<string, string | undefined>>;
};

/** Opens the proxy. Disposing ends it. */
export async function openUserProxy({ session, port, hasToken, env }: UserProxyOptions): Promise<UserProxy> {
  const { settings, store, emit } = session;
  const savings = createSavings(emit);
  const given = readGivenAddresses(env ?? {});
  const upstreams = parseUpstreams([
    ...(env === undefined ? [] : [`chatgpt=${CHATGPT_ADDRESS}`]),
    ...settings["proxy.upstreams"],
    ...Object.entries(given).map(([name, address]) => `${name}=${address}`),
  ]);
  const proxy = await openProxy({
    recovery: openRecovery({ settings, store, emit: savings.emit, trace: session.trace }),
    upstreams,
    port,
    allowOrigins: settings["proxy.allow_origins"],
    token: hasToken ? await proxyToken(store) : undefined,
    bodyBytes: settings["proxy.body_bytes"],
    folders: session.spoolFolders,
  });
  return {
    url: proxy.url,
    upstreams,
    urls: urlsOf(proxy.url, given),
    tally: savings.tally,
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}

/** Where Codex sends its requests after a login with ChatGPT. */
const CHATGPT_ADDRESS = "https://chatgpt.com/backend-api/codex";

/** The variables in which users already have an address, by the name of the upstream that it replaces. */
const addressVariables = {
  openai: ["OPENAI_BASE_URL", "OPENAI_API_BASE"],
  anthropic: ["ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE"],
  gemini: ["GOOGLE_GEMINI_BASE_URL"],
} as const;

type GivenAddresses = Partial<Record<keyof typeof addressVariables, string>>;

function readGivenAddresses(env: Readonly<Record<string, string | undefined>>): GivenAddresses {
  const entries = Object.entries(addressVariables).flatMap(([name, variables]) => {
    const address = variables.map((variable) => env[variable]).find((value) => value !== undefined && value !== "");
    return address === undefined ? [] : [[name, address.replace(/\/$/, "")]];
  });
  return Object.fromEntries(entries);
}

/** An address that the user gave for OpenAI has its version already. */
export function urlsOf(url: string, given: GivenAddresses = {}): ProxyUrls {
  return {
    openai: given.openai === undefined ? `${url}/openai/v1` : `${url}/openai`,
    anthropic: `${url}/anthropic`,
    gemini: `${url}/gemini`,
    chatgpt: `${url}/chatgpt`,
  };
}

/** The token, derived from the owner's key: the same at every start, so a client is set up once. */
async function proxyToken(store: Pick<ArtifactStore, "seal">): Promise<string> {
  return (await store.seal("spillway proxy")).slice(0, 32);
}

/** Counts what recovery did, from its events. */
function createSavings(emit: Emit): { readonly emit: Emit; readonly tally: () => SavedTally } {
  let [recovered, failed, savedBytes] = [0, 0, 0];
  function count(event: Event): void {
    if (event.event === "overflow.failed") failed++;
    if (event.event === "overflow.recovered") recovered++;
    if (event.event === "overflow.recovered" || event.event === "overflow.repeated")
      savedBytes += Math.max(0, event.bytes_before - event.bytes_after);
  }
  return {
    emit: (event) => {
      count(event);
      emit(event);
    },
    tally: () => ({ recovered, failed, savedBytes }),
  };
}
