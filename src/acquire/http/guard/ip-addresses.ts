/** Special-use IP addresses: the ranges of the IANA registries, and IPv4 addresses embedded in IPv6 ones. */
import { BlockList, isIP } from "node:net";

/** One special range and its use, as the refusal words it. */
type SpecialRange = readonly [range: string, use: string];

/** https://www.iana.org/assignments/iana-ipv4-special-registry, and one address of a cloud's metadata service. */
const specialRanges4: readonly SpecialRange[] = [
  ["0.0.0.0/8", "this network"],
  ["10.0.0.0/8", "private"],
  ["100.64.0.0/10", "shared by a carrier"],
  ["127.0.0.0/8", "loopback"],
  ["168.63.129.16/32", "a cloud's metadata"],
  ["169.254.0.0/16", "link-local or a cloud's metadata"],
  ["172.16.0.0/12", "private"],
  ["192.0.0.0/24", "reserved"],
  ["192.0.2.0/24", "documentation"],
  ["192.88.99.0/24", "a 6to4 relay"],
  ["192.168.0.0/16", "private"],
  ["198.18.0.0/15", "benchmarking"],
  ["198.51.100.0/24", "documentation"],
  ["203.0.113.0/24", "documentation"],
  ["224.0.0.0/4", "multicast"],
  ["240.0.0.0/4", "reserved"],
];

/** Exceptions in 2000::/3, the only part of IPv6 with public addresses. The first match names the use. */
const globalExceptions6: readonly SpecialRange[] = [
  ["2001::/32", "a Teredo tunnel"],
  ["2001::/23", "reserved"],
  ["2001:db8::/32", "documentation"],
  ["2002::/16", "a 6to4 tunnel"],
  ["3fff::/20", "documentation"],
];

/** Outside 2000::/3 every address is special; these ranges have a name. */
const namedRanges6: readonly SpecialRange[] = [
  ["::/128", "this host"],
  ["::1/128", "loopback"],
  ["64:ff9b::/96", "a translated (NAT64) address"],
  ["64:ff9b:1::/48", "a translated (NAT64) address"],
  ["fc00::/7", "private"],
  ["fe80::/10", "link-local"],
  ["fec0::/10", "site-local"],
  ["ff00::/8", "multicast"],
];

const blockLists4 = specialRanges4.map(toBlockList);
const blockLists6 = [...namedRanges6, ...globalExceptions6].map(toBlockList);
const globalUnicast6 = makeRangeList("2000::/3");

/** The use of a special address, or undefined for a public one. */
export function findSpecialUse(address: string): string | undefined {
  if (isIP(address) === 4) return blockLists4.find(({ list }) => list.check(address, "ipv4"))?.use;
  const use = blockLists6.find(({ list }) => list.check(address, "ipv6"))?.use;
  return use ?? (globalUnicast6.check(address, "ipv6") ? undefined : "not a public address");
}

/** The address that is really dialled: for an IPv4-mapped address (`::ffff:127.0.0.1`) the IPv4 address. */
export function unwrapMappedAddress(address: string): string {
  const withoutZone = address.replace(/%.*$/, "");
  if (isIP(withoutZone) !== 6) return withoutZone;
  const groups = parseGroups(withoutZone);
  return groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff ? formatIpv4(groups, 6) : withoutZone;
}

/** The IPv4 address that a translator or tunnel would forward to, for the IPv6 forms that embed one. */
export function findEmbeddedAddress(address: string): string | undefined {
  if (isIP(address) !== 6) return undefined;
  const groups = parseGroups(address);
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0] = groups;
  // RFC 6052: after a prefix of 48 bits the address skips the eight bits that must be zero.
  if (first === 0x64 && second === 0xff9b && third === 1)
    return [fourth >> 8, fourth & 0xff, fifth & 0xff, sixth >> 8].join(".");
  if (first === 0x64 && second === 0xff9b) return formatIpv4(groups, 6);
  if (first === 0x2002) return formatIpv4(groups, 1);
  // Teredo hides the client's address by inverting it.
  if (first === 0x2001 && second === 0)
    return formatIpv4(
      groups.map((group) => group ^ 0xffff),
      6,
    );
  return groups.slice(0, 6).every((group) => group === 0) ? formatIpv4(groups, 6) : undefined;
}

/** A range such as `10.0.0.0/8` as a list to check addresses against. */
export function makeRangeList(range: string): BlockList {
  const [address = "", prefix = ""] = range.split("/");
  const list = new BlockList();
  list.addSubnet(address, Number(prefix), isIP(address) === 4 ? "ipv4" : "ipv6");
  return list;
}

function toBlockList([range, use]: SpecialRange) {
  return { list: makeRangeList(range), use };
}

/** The eight numbers of an IPv6 address; the URL parser understands every notation. */
function parseGroups(address: string): number[] {
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const numbers = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((hex) => Number.parseInt(hex, 16));
  const [start, end] = [numbers(head), numbers(tail ?? "")];
  return [...start, ...new Array<number>(8 - start.length - end.length).fill(0), ...end];
}

function formatIpv4(groups: readonly number[], index: number): string {
  return groups
    .slice(index, index + 2)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join(".");
}

/** Whether a canonical host is this machine; a name that only begins like a loopback address is not. */
export function isLoopbackHost(host: string): boolean {
  return host === "::1" || (isIP(host) === 4 ? host.startsWith("127.") : /^(?:.*\.)?localhost$/.test(host));
}
