/** Decides which hosts and addresses may be reached: the world, and of everything else what the settings allow. */
import { isIP } from "node:net";
import { canonicalHost, type NetworkPlace, parseNetworkPlace } from "../../config/network-values.ts";
import { SpillwayError } from "../../errors.ts";
import { clipped } from "../../system/safe-names.ts";
import { findEmbeddedAddress, findSpecialUse, makeRangeList, unwrapMappedAddress } from "./ip-addresses.ts";

/** Where a request wants to go. */
export type Destination = { readonly host: string; readonly port: number };

/** Both throw a `SpillwayError` that says why; a guard that returns has agreed. */
export type Guard = {
  /** Judges an address before it is dialled; the only thing that decides where we dial ourselves. */
  checkAddress(address: string, destination: Destination): void;
  /** Judges a host that somebody else (a proxy) will look up: all that can be told without its address. */
  checkHost(destination: Destination): void;
};

/** For addresses that the user named: judges nothing. */
export const permissiveGuard: Guard = { checkAddress: () => undefined, checkHost: () => undefined };

export type GuardLists = { readonly allow: readonly string[]; readonly deny: readonly string[] };

/** The guard that holds everywhere, with the lists of the settings network.allow and network.deny. */
export function makeGuard({ allow, deny }: GuardLists): Guard {
  const [allowed, denied] = [allow.map(toRule), deny.map(toRule)];

  function address(given: string, destination: Destination): void {
    const dialled = unwrapMappedAddress(given);
    const carried = findEmbeddedAddress(dialled);
    const denies = (each: string) => denied.some((rule) => rule(destination, each));
    if (denies(dialled) || (carried !== undefined && denies(carried))) throw makeDeniedError(destination);
    const allows = (each: string) => allowed.some((rule) => rule(destination, each));
    const what = findSpecialUse(dialled) ?? describeBlockedPort(destination.port);
    if (what !== undefined && !allows(dialled)) throw makeAddressError(destination, dialled, what);
    const carriedUse = carried && findSpecialUse(carried);
    if (carried && carriedUse && !allows(carried)) throw makeAddressError(destination, carried, carriedUse);
  }

  function host(destination: Destination): void {
    const literal = canonicalHost(destination.host);
    if (isIP(literal) === 0) name(literal, destination);
    else address(literal, destination);
  }

  function name(literal: string, destination: Destination): void {
    if (denied.some((rule) => rule(destination, undefined))) throw makeDeniedError(destination);
    const what = localNames.test(literal) ? "a name of the local network" : describeBlockedPort(destination.port);
    if (what && !allowed.some((rule) => rule(destination, undefined))) throw makeHostError(destination, what);
  }

  return { checkAddress: address, checkHost: host };
}

/** Whether a rule is about this destination, whose address may not be known. */
type DestinationRule = (destination: Destination, address: string | undefined) => boolean;

function toRule(text: string): DestinationRule {
  const place = parseNetworkPlace(text);
  if (place === undefined) {
    throw new SpillwayError("config_invalid", `${JSON.stringify(clipped(text))} is no place of the network.`, {
      hint: "Write a host, an address or a range, with a port if wanted: 127.0.0.1:8080, 10.0.0.0/8.",
    });
  }
  const matches = place.by === "name" ? nameRule(place) : rangeRule(place);
  return (destination, address) =>
    (place.port ?? destination.port) === destination.port && matches(destination, address);
}

function nameRule({ name, below }: NetworkPlace & { by: "name" }): DestinationRule {
  return ({ host }) => {
    const asked = canonicalHost(host);
    return below ? asked.endsWith(`.${name}`) : asked === name;
  };
}

function rangeRule({ address: start, prefix, family }: NetworkPlace & { by: "range" }): DestinationRule {
  const list = makeRangeList(`${start}/${prefix}`);
  return (_destination, address) =>
    address !== undefined && isIP(address) === family && list.check(address, family === 4 ? "ipv4" : "ipv6");
}

/** Names that lead nowhere but into the network one stands in. */
const localNames = /^(?:[^.]+|(?:.*\.)?(?:localhost|localdomain|local|internal|intranet|lan|home|corp|home\.arpa))$/;

/** Ports where something other than HTTP listens and might take a request for its own commands (fetch.spec.whatwg.org). */
const blockedPorts: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080,
]);

function describeBlockedPort(port: number): string | undefined {
  return blockedPorts.has(port) ? "a port of another protocol" : undefined;
}

function makeAddressError(destination: Destination, address: string, what: string): SpillwayError {
  const { host, port } = destination;
  const behind = canonicalHost(host) === address ? "" : ` (${address})`;
  return new SpillwayError("network_refused", `${clipped(host)}:${port}${behind} is not fetched: ${what}.`, {
    hint: `If it is meant, its user can allow it by the setting network.allow: ${formatAddress(address, port)}.`,
  });
}

function makeHostError({ host, port }: Destination, what: string): SpillwayError {
  return new SpillwayError("network_refused", `${clipped(host)}:${port} is not fetched: ${what}.`, {
    hint: `If it is meant, its user can allow it by the setting network.allow: ${clipped(host)}:${port}.`,
  });
}

function makeDeniedError({ host, port }: Destination): SpillwayError {
  return new SpillwayError("network_refused", `${clipped(host)}:${port} is not fetched: network.deny names it.`, {
    hint: "Fetch another source, or ask whoever set it.",
  });
}

const formatAddress = (address: string, port: number): string =>
  isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`;
