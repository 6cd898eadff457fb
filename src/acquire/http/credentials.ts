/** Headers and cookies that the settings define for certain hosts, with secrets from environment variables. */
import { isIP } from "node:net";
import { canonicalHost, parseNetworkPlace } from "../../config/network-values.ts";
import type { Environment } from "../../config/paths.ts";
import type { HostHeaders } from "../../config/rows/setting-row.ts";
import { SpillwayError } from "../../errors.ts";
import { clip } from "../../system/safe-names.ts";
import { isLoopbackHost } from "./guard/ip-addresses.ts";
import { getPort } from "./transport/env-proxy.ts";

type Credentials = {
  /** The headers for this URL's host, with lower-case names. */
  headersFor(url: URL): Record<string, string>;
  /** Whether there are any for this URL's host. */
  hasHeadersFor(url: URL): boolean;
  /** Changes with any of the headers. It is secret, so it is only ever passed to a hash. */
  readonly fingerprint: string;
};

/** The credentials of the setting network.headers. */
export function makeCredentials(headers: HostHeaders, env: Environment): Credentials {
  const hosts = Object.entries(headers).map(([host, lines]) => ({ host, matches: makeUrlMatcher(host), lines }));
  return {
    headersFor(url) {
      const matchingHosts = hosts.filter(({ matches }) => matches(url));
      return Object.fromEntries(
        matchingHosts.flatMap(({ host, lines }) =>
          Object.entries(lines).map(([name, text]) => [name.toLowerCase(), expandOrThrow(text, env, name, host)]),
        ),
      );
    },
    hasHeadersFor: (url) => hosts.some(({ matches }) => matches(url)),
    fingerprint: JSON.stringify(
      hosts.map(({ host, lines }) => [
        host,
        Object.entries(lines).map(([name, text]) => [name, expandVariables(text, env)]),
      ]),
    ),
  };
}

/** A host alone means https. Plain HTTP exposes a secret, so it must be written as http:// or be on this machine. */
function makeUrlMatcher(key: string): (url: URL) => boolean {
  const [, scheme = "", placeText = ""] = /^(?:(https?):\/\/)?(.*)$/i.exec(key) ?? [];
  const place = parseNetworkPlace(placeText);
  if (place === undefined) return () => false;
  const host = place.type === "name" ? place.name : canonicalAddress(place.address);
  const isLocal = isLoopbackHost(host);
  return (url) => {
    const schemeFits =
      scheme === "" ? url.protocol === "https:" || isLocal : `${scheme.toLowerCase()}:` === url.protocol;
    return (
      schemeFits &&
      canonicalHost(url.hostname) === host &&
      (place.port ?? Number(getPort(url))) === Number(getPort(url))
    );
  };
}

/** An address as the URL parser writes it. */
function canonicalAddress(address: string): string {
  return canonicalHost(new URL(`http://${isIP(address) === 6 ? `[${address}]` : address}`).hostname);
}

function expandOrThrow(text: string, env: Environment, header: string, host: string): string {
  const value = expandVariables(text, env);
  if (value !== undefined && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return value;
  const fact =
    value === undefined ? "an environment variable that is not set" : "a value without line breaks or odd characters";
  throw new SpillwayError("config_invalid", `The header ${header} for ${clip(host)} needs ${fact}.`, {
    hint: "Set the variable named in network.headers before starting, or remove the header.",
  });
}

/** `$NAME` and `${NAME}` are variables, `$$` is a dollar sign. */
export function expandVariables(text: string, env: Environment): string | undefined {
  let isMissing = false;
  const value = text.replace(/\$(?:\$|\{(\w+)\}|(\w+))/g, (_, braced: string | undefined, bare: string | undefined) => {
    const name = braced ?? bare;
    if (name === undefined) return "$";
    isMissing ||= env[name] === undefined;
    return env[name] ?? "";
  });
  return isMissing ? undefined : value;
}
