/** Decides which hosts and addresses may be reached: public ones, and others only where the settings allow them. */
import { isIP } from "node:net";
import { canonicalHost, type NetworkPlace, parseNetworkPlace } from "../../../config/network-values.ts";
import { SpillwayError } from "../../../errors.ts";
import { clip } from "../../../system/safe-names.ts";
import {
  findEmbeddedAddress,
  findSpecialUse,
  isLoopbackHost,
  makeRangeList,
  unwrapMappedAddress,
} from "./ip-addresses.ts";

/** Where a request goes. */
export type Destination = { readonly host: string; readonly port: number };

/** Both methods throw a `SpillwayError` that says why; if they return, the request is allowed. */
export type Guard = {
  /** Checks an address before it is dialled. No direct connection is made without this check. */
  checkAddress(address: string, destination: Destination): void;
  /** Checks a host that a proxy will resolve, as far as that is possible without its address. */
  checkHost(destination: Destination): void;
};

/** Allows everything: for addresses that the user's settings name. */
export const permissiveGuard: Guard = { checkAddress: () => undefined, checkHost: () => undefined };

type GuardLists = { readonly allow: readonly string[]; readonly deny: readonly string[] };

/**
 * The default guard, with the lists of the settings network.allow and network.deny. An allowed address or range counts
 * only for a URL that spells the address: otherwise the owner of any name could point it there (DNS rebinding).
 */
export function makeGuard({ allow, deny }: GuardLists): Guard {
  const [allowRules, denyRules] = [allow.map(toRule), deny.map(toRule)];

  function checkAddress(address: string, destination: Destination): void {
    const plainAddress = unwrapMappedAddress(address);
    const embedded = findEmbeddedAddress(plainAddress);
    const denies = (candidate: string) => denyRules.some((rule) => rule(destination, candidate));
    if (denies(plainAddress) || (embedded !== undefined && denies(embedded))) throw makeDeniedError(destination);
    const isLiteral = isLiteralHost(destination.host);
    const allows = (candidate: string, byAddress = isLiteral) =>
      allowRules.some((rule) => rule(destination, byAddress ? candidate : undefined));
    const reason = findSpecialUse(plainAddress) ?? describeBlockedPort(destination.port);
    // A translator's range is allowed for names too: the address that is reached is the embedded one, checked below.
    if (reason !== undefined && !allows(plainAddress, isLiteral || embedded !== undefined)) {
      throw makeAddressError(destination, plainAddress, reason);
    }
    const embeddedUse = embedded && findSpecialUse(embedded);
    if (embedded && embeddedUse && !allows(embedded)) throw makeAddressError(destination, embedded, embeddedUse);
  }

  function checkHost(destination: Destination): void {
    const literal = canonicalHost(destination.host);
    if (isIP(literal) === 0) checkName(literal, destination);
    else checkAddress(literal, destination);
  }

  function checkName(literal: string, destination: Destination): void {
    if (denyRules.some((rule) => rule(destination, undefined))) throw makeDeniedError(destination);
    const reason = localNames.test(literal) ? "a name of the local network" : describeBlockedPort(destination.port);
    if (reason && !allowRules.some((rule) => rule(destination, undefined))) throw makeHostError(destination, reason);
  }

  return { checkAddress, checkHost };
}

/** Hosts that no name server can point elsewhere: addresses, and the names of this machine (RFC 6761). */
function isLiteralHost(host: string): boolean {
  const canonical = canonicalHost(host);
  return isIP(canonical.replace(/%.*$/, "")) !== 0 || isLoopbackHost(canonical);
}

/** Whether a rule applies to this destination; without an address only rules for names can apply. */
type DestinationRule = (destination: Destination, address: string | undefined) => boolean;

function toRule(text: string): DestinationRule {
  const place = parseNetworkPlace(text);
  if (place === undefined) {
    throw new SpillwayError("config_invalid", `${JSON.stringify(clip(text))} is not a host, an address or a range.`, {
      hint: "Write a host, an address or a range, optionally with a port: 127.0.0.1:8080, 10.0.0.0/8.",
    });
  }
  const matches = place.type === "name" ? nameRule(place) : rangeRule(place);
  return (destination, address) =>
    (place.port ?? destination.port) === destination.port && matches(destination, address);
}

function nameRule({ name, below }: NetworkPlace & { type: "name" }): DestinationRule {
  return ({ host }) => {
    const requestedHost = canonicalHost(host);
    return below ? requestedHost.endsWith(`.${name}`) : requestedHost === name;
  };
}

function rangeRule({ address: start, prefix, family }: NetworkPlace & { type: "range" }): DestinationRule {
  const list = makeRangeList(`${start}/${prefix}`);
  return (_destination, address) =>
    address !== undefined && isIP(address) === family && list.check(address, family === 4 ? "ipv4" : "ipv6");
}

/** Names that resolve only inside the local network. */
const localNames = /^(?:[^.]+|(?:.*\.)?(?:localhost|localdomain|local|internal|intranet|lan|home|corp|home\.arpa))$/;

/** Ports of other protocols, whose servers might execute an HTTP request as commands (fetch.spec.whatwg.org). */
const blockedPorts: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080,
]);

function describeBlockedPort(port: number): string | undefined {
  return blockedPorts.has(port) ? "a port of another protocol" : undefined;
}

function makeAddressError(destination: Destination, address: string, reason: string): SpillwayError {
  const { host, port } = destination;
  const suffix = canonicalHost(host) === address ? "" : ` (${address})`;
  const place = isLiteralHost(host) ? formatAddress(address, port) : `${clip(host)}:${port}`;
  return new SpillwayError("network_refused", `${clip(host)}:${port}${suffix} is not fetched: ${reason}.`, {
    hint: `To fetch it anyway, the user can add it to the setting network.allow: ${place}.`,
  });
}

function makeHostError({ host, port }: Destination, reason: string): SpillwayError {
  return new SpillwayError("network_refused", `${clip(host)}:${port} is not fetched: ${reason}.`, {
    hint: `To fetch it anyway, the user can add it to the setting network.allow: ${clip(host)}:${port}.`,
  });
}

function makeDeniedError({ host, port }: Destination): SpillwayError {
  return new SpillwayError("network_refused", `${clip(host)}:${port} is not fetched: network.deny names it.`, {
    hint: "Fetch another source, or ask the person who set it.",
  });
}

const formatAddress = (address: string, port: number): string =>
  isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`;
