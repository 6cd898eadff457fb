/** Opens connections for undici: resolves a name, checks every address, and dials only a checked address. */
import { lookup } from "node:dns/promises";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, type SecureContext, type TLSSocket } from "node:tls";
import type { buildConnector } from "undici";
import { canonicalHost } from "../../../config/network-values.ts";
import { SpillwayError } from "../../../errors.ts";
import { clip } from "../../../system/safe-names.ts";
import type { Destination, Guard } from "../guard/address-guard.ts";

/** The addresses of a name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** A TCP connection to an address, which is never a name. */
export type Dial = (address: string, port: number, timeoutMs: number) => Promise<Socket>;

/** The only two functions that reach the network; tests pass ones that record and refuse. */
export type Dialler = { readonly resolve: Resolve; readonly dial: Dial };

/** The resolver and the sockets of this machine. */
export const systemDialler: Dialler = { resolve: resolveWithSystem, dial: dialTcp };

type ConnectOptions = Dialler & {
  readonly guard: Guard;
  readonly timeoutMs: number;
  /** Trusted certificates; made once, because loading them costs more than a connection. */
  readonly trust: SecureContext;
};

/** The connector of a dispatcher. */
export function makeGuardedConnector(options: ConnectOptions): buildConnector.connector {
  return ({ hostname, port, protocol }, callback) => {
    const secure = protocol === "https:";
    const destination = { host: canonicalHost(hostname), port: Number(port || (secure ? 443 : 80)) };
    connect(destination, secure, options).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };
}

/** A connection without TLS, to a checked address. */
export async function connectGuarded(
  destination: Destination,
  options: Omit<ConnectOptions, "trust">,
): Promise<Socket> {
  const addresses = await withTimeout(findAllowedAddresses(destination, options), options.timeoutMs);
  return dialInTurn(addresses, destination.port, options);
}

/** Resolving, dialling and the TLS handshake share one timeout. */
async function connect(destination: Destination, secure: boolean, options: ConnectOptions) {
  const endsAt = performance.now() + options.timeoutMs;
  const withRemainingTime = () => ({ ...options, timeoutMs: Math.max(1, endsAt - performance.now()) });
  const addresses = await withTimeout(findAllowedAddresses(destination, options), options.timeoutMs);
  const socket = await dialInTurn(addresses, destination.port, withRemainingTime());
  return secure ? connectSecurely(socket, destination.host, withRemainingTime()) : socket;
}

function withTimeout<T>(work: Promise<T>, timeoutMs: number, undo?: (lateResult: T) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(makeTimeoutError());
      work.then(undo, () => undefined);
    }, timeoutMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

async function findAllowedAddresses(
  destination: Destination,
  { guard, resolve }: Pick<ConnectOptions, "guard" | "resolve">,
): Promise<readonly string[]> {
  const { host } = destination;
  // RFC 6761: these names mean this machine, whatever a name server says; one of the two addresses is enough.
  if (/^(?:.*\.)?localhost$/.test(host)) return filterAllowed(["127.0.0.1", "::1"], destination, guard);
  const addresses = isIP(host) === 0 ? await resolveHost(host, resolve) : [host];
  // One forbidden address among allowed ones is an attack or a mistake; in both cases nothing is dialled.
  for (const address of addresses) guard.checkAddress(address, destination);
  return addresses;
}

/** The addresses that the guard allows; if it allows none, throws its refusal of the first. */
function filterAllowed(addresses: readonly string[], destination: Destination, guard: Guard): readonly string[] {
  const refusals: unknown[] = [];
  const allowed = addresses.filter((address) => {
    try {
      guard.checkAddress(address, destination);
      return true;
    } catch (refusal) {
      refusals.push(refusal);
      return false;
    }
  });
  if (allowed.length === 0) throw refusals[0];
  return allowed;
}

async function resolveHost(host: string, resolve: Resolve): Promise<readonly string[]> {
  const addresses = await resolve(host);
  if (addresses.length > 0 && addresses.every((address) => isIP(address.replace(/%.*$/, "")) !== 0)) return addresses;
  throw Object.assign(new Error(`${clip(host)} has no address.`), { code: "ENOTFOUND" });
}

/** Dials the addresses one after another, each with its share of the time, until one answers. */
async function dialInTurn(
  addresses: readonly string[],
  port: number,
  { dial, timeoutMs }: Pick<ConnectOptions, "dial" | "timeoutMs">,
) {
  let failure: unknown;
  for (const address of addresses) {
    try {
      const share = timeoutMs / addresses.length;
      return await withTimeout(dial(address, port, share), share + 100, (socket) => void socket.destroy());
    } catch (error) {
      if (error instanceof SpillwayError) throw error;
      failure ??= error;
    }
  }
  throw failure;
}

/** TLS over the connected socket; the certificate must match the host. */
function connectSecurely(socket: Socket, host: string, { trust, timeoutMs }: ConnectOptions): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const servername = isIP(host) === 0 ? host : "";
    const tls = connectTls({ socket, host, servername, ALPNProtocols: ["http/1.1"], secureContext: trust });
    const timer = setTimeout(() => tls.destroy(makeTimeoutError()), timeoutMs);
    const onError = (error: Error) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    tls.once("error", onError);
    tls.once("secureConnect", () => {
      clearTimeout(timer);
      tls.removeListener("error", onError);
      resolve(tls);
    });
  });
}

async function resolveWithSystem(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

function dialTcp(address: string, port: number, timeoutMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectTcp({ host: address, port, noDelay: true, keepAlive: true });
    const timer = setTimeout(() => socket.destroy(makeTimeoutError()), timeoutMs);
    const onError = (error: Error) => {
      clearTimeout(timer);
      reject(error);
    };
    socket.once("error", onError);
    socket.once("connect", () => {
      clearTimeout(timer);
      socket.removeListener("error", onError);
      resolve(socket);
    });
  });
}

const makeTimeoutError = (): Error => Object.assign(new Error("The connection took too long."), { code: "ETIMEDOUT" });
