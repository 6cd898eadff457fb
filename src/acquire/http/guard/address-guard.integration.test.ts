import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { defaultSettings } from "../../../config/settings.ts";
import { SpillwayError } from "../../../errors.ts";
import { openHttpClient } from "../lazy-client.ts";
import { findBreaches } from "./address-guard.contract.ts";
import { type Destination, type Guard, makeGuard } from "./address-guard.ts";
import { findSpecialUse, unwrapMappedAddress } from "./ip-addresses.ts";

const standard = makeGuard({ allow: [], deny: [] });

async function firstBreach(guard: Guard): Promise<string | undefined> {
  for await (const breach of findBreaches(guard)) return breach;
  return undefined;
}

describe("the guard", () => {
  test("allows only public addresses to be dialled: literals, names, redirects, over http and https", async () => {
    assert.deepEqual(await Array.fromAsync(findBreaches(standard)), []);
  });

  const permissive: Guard = { checkAddress: () => undefined, checkHost: () => undefined };
  const check = (address: string, destination: Destination) => standard.checkAddress(address, destination);
  const checkedHosts = new Set<string>();
  const mutants: Record<string, Guard> = {
    "allows everything": permissive,
    "checks literals only": {
      ...permissive,
      checkAddress: (address, to) => (to.host.includes(".example") ? undefined : check(address, to)),
    },
    "checks names only": {
      ...permissive,
      checkAddress: (address, to) => (to.host.includes(".example") ? check(address, to) : undefined),
    },
    "checks IPv4 only": {
      ...permissive,
      checkAddress: (address, to) => (address.includes(":") ? undefined : check(address, to)),
    },
    "checks IPv6 only": {
      ...permissive,
      checkAddress: (address, to) => (address.includes(":") ? check(address, to) : undefined),
    },
    "does not unwrap mapped addresses": {
      ...permissive,
      checkAddress: (address, to) => (unwrapMappedAddress(address) === address ? check(address, to) : undefined),
    },
    "trusts translators": {
      ...permissive,
      checkAddress: (address, to) => (/^(64:ff9b|2002):/.test(address) ? undefined : check(address, to)),
    },
    "forgets Teredo": {
      ...permissive,
      checkAddress: (address, to) => (/^2001:0?:/.test(address) ? undefined : check(address, to)),
    },
    "forgets the metadata service": {
      ...permissive,
      checkAddress: (address, to) =>
        unwrapMappedAddress(address).startsWith("169.254.") ? undefined : check(address, to),
    },
    "checks the first answer only": {
      ...permissive,
      checkAddress(address, to) {
        const first = !checkedHosts.has(to.host);
        checkedHosts.add(to.host);
        if (first) check(address, to);
      },
    },
    "checks http only": {
      ...permissive,
      checkAddress: (address, to) => (to.port === 443 ? undefined : check(address, to)),
    },
    "refuses everything": {
      ...permissive,
      checkAddress() {
        throw new SpillwayError("network_refused", "No.", { hint: "None." });
      },
    },
  };
  for (const [name, mutant] of Object.entries(mutants)) {
    test(`that ${name} fails the contract`, async () => assert.notEqual(await firstBreach(mutant), undefined));
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
    { allow: ["10.1.2.3"], address: "10.1.2.3", host: "evil.example", allowed: false },
    { allow: ["10.1.2.3:80"], address: "::ffff:10.1.2.3", host: "evil.example", allowed: false },
    { allow: ["10.0.0.0/8"], address: "10.1.2.3", host: "evil.example", allowed: false },
    { allow: ["0x0a010203"], address: "10.1.2.3", host: "evil.example", allowed: false },
    { allow: ["fd00::/8", "10.0.0.0/8"], address: "fd12::1", host: "evil.example", allowed: false },
    { allow: ["127.0.0.1:8080"], address: "127.0.0.1", host: "evil.example", port: 8080, allowed: false },
    { allow: ["127.0.0.1:8080"], address: "127.0.0.1", host: "127.0.0.1.evil.example", port: 8080, allowed: false },
    { allow: ["127.0.0.1:8080"], address: "127.0.0.1", host: "localhost", port: 8080, allowed: true },
    { allow: ["127.0.0.1:8080"], address: "127.0.0.1", host: "app.localhost.", port: 8080, allowed: true },
    { allow: ["8.8.8.8:25"], address: "8.8.8.8", host: "mail.example", port: 25, allowed: false },
    { allow: ["64:ff9b::/96"], address: "64:ff9b::8.8.8.8", host: "public.example", allowed: true },
    { allow: ["64:ff9b::/96", "10.0.0.0/8"], address: "64:ff9b::a01:203", host: "evil.example", allowed: false },
    { allow: ["64:ff9b::/96", "wiki.example"], address: "64:ff9b::a01:203", host: "wiki.example", allowed: true },
    { deny: ["8.8.8.0/24"], address: "8.8.8.8", host: "any.example", allowed: false },
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
    const rules = [...allow.map((rule) => `+${rule}`), ...deny.map((each) => `-${each}`)].join(" ");
    test(`${rules}: ${host} (${address}) port ${port} is ${allowed ? "allowed" : "refused"}`, () => {
      assert.equal(outcome(makeGuard({ allow, deny }), address, host, port), allowed);
    });
  }

  test("a name that resolves to an allowed address is not dialled, and the hint names what would allow it", async () => {
    const dialled: string[] = [];
    const addresses: Readonly<Record<string, string>> = { "evil.example": "10.1.2.3", "wiki.example": "10.1.2.4" };
    const dialler = {
      resolve: async (host: string) => [addresses[host] ?? ""],
      async dial(address: string) {
        dialled.push(address);
        throw Object.assign(new Error("not connected"), { code: "ECONNREFUSED" });
      },
    };
    const settings = { ...defaultSettings, "network.allow": ["10.0.0.0/8", "wiki.example"], "network.tries": 1 };
    await using client = openHttpClient({ settings, env: {}, dialler });
    const open = (url: string) =>
      client.open(new URL(url), { prefers: "source", signal: new AbortController().signal }).then(
        () => undefined,
        (error: SpillwayError) => error,
      );
    const refusal = await open("http://evil.example/");
    assert.equal(refusal?.code, "network_refused");
    assert.match(refusal?.hint ?? "", /network\.allow: evil\.example:80\.$/);
    await open("http://10.1.2.3/");
    await open("http://wiki.example/");
    assert.deepEqual(dialled, ["10.1.2.3", "10.1.2.4"]);
  });

  test("behind a proxy, names of the local network are refused and others are allowed", () => {
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

test("the use of a special address is found", () => {
  const uses = {
    "0.1.2.3": "this network",
    "100.64.0.1": "shared by a carrier",
    "168.63.129.16": "a cloud's metadata",
    "169.254.169.254": "link-local or a cloud's metadata",
    "192.88.99.1": "a 6to4 relay",
    "::": "this host",
    "::1": "loopback",
    "::2": "not a public address",
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
  for (const [address, use] of Object.entries(uses)) assert.equal(findSpecialUse(address), use, address);
  for (const address of ["8.8.8.8", "2606:4700::1", "2a00:1450::1"]) assert.equal(findSpecialUse(address), undefined);
});

test("no IPv4 address of a special range counts as public, however it is wrapped", () => {
  const specialAddress = fc.tuple(fc.constantFrom(10, 127, 0, 224, 250), fc.nat(255), fc.nat(255), fc.nat(255));
  fc.assert(
    fc.property(specialAddress, (parts) => {
      const address = parts.join(".");
      assert.notEqual(findSpecialUse(address), undefined);
      for (const wrapped of [`::ffff:${address}`, `64:ff9b::${address}`, `::${address}`]) {
        assert.notEqual(findSpecialUse(unwrapMappedAddress(wrapped)), undefined, wrapped);
      }
    }),
  );
});
