import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { SpillwayError } from "../../errors.ts";
import { findBreaches } from "./address-guard.contract.ts";
import { type Destination, type Guard, makeGuard } from "./address-guard.ts";
import { findSpecialUse, unwrapMappedAddress } from "./ip-addresses.ts";

const standard = makeGuard({ allow: [], deny: [] });

async function firstBreach(guard: Guard): Promise<string | undefined> {
  for await (const breach of findBreaches(guard)) return breach;
  return undefined;
}

describe("the guard", () => {
  test("lets nothing be dialled that is not of the world: literals, names, redirects, over http and https", async () => {
    assert.deepEqual(await Array.fromAsync(findBreaches(standard)), []);
  });

  const lenient: Guard = { checkAddress: () => undefined, checkHost: () => undefined };
  const special = (address: string, destination: Destination) => standard.checkAddress(address, destination);
  const asked = new Set<string>();
  const mutants: Record<string, Guard> = {
    "allows everything": lenient,
    "judges literals only": {
      ...lenient,
      checkAddress: (address, to) => (to.host.includes(".example") ? undefined : special(address, to)),
    },
    "judges names only": {
      ...lenient,
      checkAddress: (address, to) => (to.host.includes(".example") ? special(address, to) : undefined),
    },
    "judges IPv4 only": {
      ...lenient,
      checkAddress: (address, to) => (address.includes(":") ? undefined : special(address, to)),
    },
    "judges IPv6 only": {
      ...lenient,
      checkAddress: (address, to) => (address.includes(":") ? special(address, to) : undefined),
    },
    "does not unwrap mapped addresses": {
      ...lenient,
      checkAddress: (address, to) => (unwrapMappedAddress(address) === address ? special(address, to) : undefined),
    },
    "trusts translators": {
      ...lenient,
      checkAddress: (address, to) => (/^(64:ff9b|2002):/.test(address) ? undefined : special(address, to)),
    },
    "forgets Teredo": {
      ...lenient,
      checkAddress: (address, to) => (/^2001:0?:/.test(address) ? undefined : special(address, to)),
    },
    "forgets the metadata service": {
      ...lenient,
      checkAddress: (address, to) =>
        unwrapMappedAddress(address).startsWith("169.254.") ? undefined : special(address, to),
    },
    "judges the first answer only": {
      ...lenient,
      checkAddress(address, to) {
        const first = !asked.has(to.host);
        asked.add(to.host);
        if (first) special(address, to);
      },
    },
    "judges http only": {
      ...lenient,
      checkAddress: (address, to) => (to.port === 443 ? undefined : special(address, to)),
    },
    "refuses everything": {
      ...lenient,
      checkAddress() {
        throw new SpillwayError("network_refused", "No.", { hint: "None." });
      },
    },
  };
  for (const [name, mutant] of Object.entries(mutants)) {
    test(`that ${name} is caught by that`, async () => assert.notEqual(await firstBreach(mutant), undefined));
  }
});

describe("network.allow and network.deny", () => {
  const outcome = (guard: Guard, address: string, host: string, port: number): boolean => {
    try {
      guard.checkAddress(address, { host, port });
      return true;
    } catch (error) {
      assert.ok(error instanceof SpillwayError && error.code === "network_refused" && error.hint !== "");
      return false;
    }
  };

  for (const { allow = [], deny = [], address, host = address, port = 80, allowed } of [
    { allow: ["127.0.0.1:8080"], address: "127.0.0.1", port: 8080, allowed: true },
    { allow: ["127.0.0.1:8080"], address: "127.0.0.1", port: 8081, allowed: false },
    { allow: ["127.0.0.1:8080"], address: "::ffff:127.0.0.1", port: 8080, allowed: true },
    { allow: ["10.0.0.0/8"], address: "10.255.0.1", allowed: true },
    { allow: ["10.0.0.0/8"], address: "11.0.0.1", allowed: true },
    { allow: ["10.0.0.0/8"], address: "127.0.0.1", allowed: false },
    { allow: ["wiki.example.com"], address: "10.0.0.5", host: "wiki.example.com", allowed: true },
    { allow: ["wiki.example.com"], address: "10.0.0.5", host: "WIKI.example.com.", allowed: true },
    { allow: ["wiki.example.com"], address: "10.0.0.5", host: "evil.wiki.example.com", allowed: false },
    { allow: ["wiki.example.com"], address: "10.0.0.5", host: "wiki.example.com.evil.org", allowed: false },
    { allow: ["*.corp.example"], address: "10.0.0.5", host: "a.b.corp.example", allowed: true },
    { allow: ["*.corp.example"], address: "10.0.0.5", host: "corp.example", allowed: false },
    { allow: ["*.corp.example"], address: "10.0.0.5", host: "evilcorp.example", allowed: false },
    { allow: ["fd00::/8"], address: "fd12::1", allowed: true },
    { allow: ["[fd00::1]:8080"], address: "fd00::1", port: 8080, allowed: true },
    { allow: ["64:ff9b::/96"], address: "64:ff9b::8.8.8.8", allowed: true },
    { allow: ["64:ff9b::/96"], address: "64:ff9b::127.0.0.1", allowed: false },
    { allow: ["2002::/16"], address: "2002:a00:1::1", allowed: false },
    { allow: ["bücher.example"], address: "10.0.0.5", host: "xn--bcher-kva.example", allowed: true },
    { deny: ["8.8.8.0/24"], address: "8.8.8.8", allowed: false },
    { deny: ["8.8.8.0/24"], address: "::ffff:8.8.8.8", allowed: false },
    { allow: ["64:ff9b::/96"], deny: ["8.8.8.0/24"], address: "64:ff9b::8.8.8.8", allowed: false },
    { allow: ["64:ff9b:1::/48"], address: "64:ff9b:1:a00:0:100::", allowed: false },
    { allow: ["64:ff9b:1::/48"], address: "64:ff9b:1:808:8:800::", allowed: true },
    { deny: ["ads.example"], address: "8.8.8.8", host: "ads.example.", allowed: false },
    { deny: ["ads.example:8080"], address: "8.8.8.8", host: "ads.example", allowed: true },
    { allow: ["10.0.0.0/8"], deny: ["10.0.0.1"], address: "10.0.0.1", allowed: false },
    { allow: ["mail.example:25"], address: "8.8.8.8", host: "mail.example", port: 25, allowed: true },
    { address: "8.8.8.8", port: 25, allowed: false },
  ]) {
    const rules = [...allow.map((each) => `+${each}`), ...deny.map((each) => `-${each}`)].join(" ");
    test(`${rules}: ${host} (${address}) port ${port} is ${allowed ? "allowed" : "refused"}`, () => {
      assert.equal(outcome(makeGuard({ allow, deny }), address, host, port), allowed);
    });
  }

  test("behind a proxy, names of the local network are refused and others pass", () => {
    const host = (name: string, allow: string[] = []) =>
      makeGuard({ allow, deny: ["bad.example"] }).checkHost({ host: name, port: 80 });
    for (const name of [
      "localhost",
      "LOCALHOST.",
      "intranet",
      "a.internal",
      "metadata.google.internal",
      "x.local",
      "127.0.0.1",
      "[::1]",
      "bad.example",
    ]) {
      assert.throws(() => host(name), /is not fetched/, name);
    }
    host("example.com");
    host("wiki.internal", ["wiki.internal"]);
  });
});

test("a special address is told for what it is", () => {
  const told = {
    "0.1.2.3": "this network",
    "100.64.0.1": "shared by a carrier",
    "168.63.129.16": "a cloud's metadata",
    "169.254.169.254": "link-local or a cloud's metadata",
    "192.88.99.1": "a 6to4 relay",
    "::": "this host",
    "::1": "loopback",
    "::2": "not given out to the world",
    "64:ff9b::808:808": "a translated (NAT64) address",
    "64:ff9b:1::1": "a translated (NAT64) address",
    "2001::1": "a Teredo tunnel",
    "2001:1::1": "reserved",
    "2001:db8::1": "documentation",
    "2002::1": "a 6to4 tunnel",
    "3fff::1": "documentation",
    "fd00::1": "private",
    "fe80::1": "link-local",
    "fec0::1": "site-local",
    "ff02::1": "multicast",
  };
  for (const [address, what] of Object.entries(told)) assert.equal(findSpecialUse(address), what, address);
  for (const address of ["8.8.8.8", "2606:4700::1", "2a00:1450::1"]) assert.equal(findSpecialUse(address), undefined);
});

test("no IPv4 address of a special range is taken for one of the world, however it is wrapped", () => {
  const inside = fc.tuple(fc.constantFrom(10, 127, 0, 224, 250), fc.nat(255), fc.nat(255), fc.nat(255));
  fc.assert(
    fc.property(inside, (parts) => {
      const address = parts.join(".");
      assert.notEqual(findSpecialUse(address), undefined);
      for (const wrapped of [`::ffff:${address}`, `64:ff9b::${address}`, `::${address}`]) {
        assert.notEqual(findSpecialUse(unwrapMappedAddress(wrapped)), undefined, wrapped);
      }
    }),
  );
});
