/** Headers and cookies that the settings hold for certain hosts, with their secrets taken from the environment. */
import { isIP } from "node:net";
import { canonicalHost, parseNetworkPlace } from "../../config/network-values.ts";
import type { Environment } from "../../config/paths.ts";
import type { HostHeaders } from "../../config/settings.ts";
import { SpillwayError } from "../../errors.ts";
import { clipped } from "../../system/safe-names.ts";
import { getPort, isLoopbackHost } from "./env-proxy.ts";

export type Credentials = {
  /** The headers for this URL's host, by their lower-case names. */
  headersFor(url: URL): Record<string, string>;
  /** All of them in one text that changes with any of them: a secret, only ever handed to a hash. */
  readonly fingerprint: string;
};

export function makeCredentials(headers: HostHeaders, env: Environment): Credentials {
  const hosts = Object.entries(headers).map(([host, lines]) => ({ host, matches: makeUrlMatcher(host), lines }));
  return {
    headersFor(url) {
      const ours = hosts.filter(({ matches }) => matches(url));
      return Object.fromEntries(
        ours.flatMap(({ host, lines }) =>
          Object.entries(lines).map(([name, text]) => [name.toLowerCase(), expandOrThrow(text, env, name, host)]),
        ),
      );
    },
    fingerprint: JSON.stringify(
      hosts.map(({ host, lines }) => [
        host,
        Object.entries(lines).map(([name, text]) => [name, expandVariables(text, env)]),
      ]),
    ),
  };
}

/** A host means https; over plain HTTP a secret can be read on the way, so that has to be written out or stay at home. */
function makeUrlMatcher(key: string): (url: URL) => boolean {
  const [, scheme = "", written = ""] = /^(?:(https?):\/\/)?(.*)$/i.exec(key) ?? [];
  const place = parseNetworkPlace(written);
  if (place === undefined) return () => false;
  const host = place.by === "name" ? place.name : canonicalAddress(place.address);
  const local = isLoopbackHost(host);
  return (url) => {
    const schemeFits = scheme === "" ? url.protocol === "https:" || local : `${scheme.toLowerCase()}:` === url.protocol;
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
    value === undefined
      ? "a variable of the environment that is not set"
      : "a value without line breaks or odd characters";
  throw new SpillwayError("config_invalid", `The header ${header} for ${clipped(host)} needs ${fact}.`, {
    hint: "Set the variable named in network.headers before starting, or take the header out.",
  });
}

/** `$NAME` and `${NAME}` are variables, `$$` is a dollar sign. */
function expandVariables(text: string, env: Environment): string | undefined {
  let missing = false;
  const value = text.replace(/\$(?:\$|\{(\w+)\}|(\w+))/g, (_, braced: string | undefined, bare: string | undefined) => {
    const name = braced ?? bare;
    if (name === undefined) return "$";
    missing ||= env[name] === undefined;
    return env[name] ?? "";
  });
  return missing ? undefined : value;
}
