/** Chooses the proxy of a request by the usual variables: HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY. */
import { isIP } from "node:net";
import { canonicalHost } from "../../../config/network-values.ts";
import type { Environment } from "../../../config/paths.ts";
import { SpillwayError } from "../../../errors.ts";
import { isLoopbackHost } from "../guard/ip-addresses.ts";

/** The proxy's URL for a request, or undefined where the host is reached directly. */
type ChooseProxy = (url: URL) => string | undefined;

/** The choice for each URL; throws on use if the proxy's variable is malformed. */
export function makeProxyChooser(env: Environment): ChooseProxy {
  const readVariable = (name: string): string => (env[name.toLowerCase()] ?? env[name] ?? "").trim();
  const noProxyRules = readVariable("NO_PROXY")
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(toNoProxyRule);
  return (url) => {
    const variable = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
    const proxy = readVariable(variable) || readVariable("ALL_PROXY");
    if (proxy === "" || isLoopback(url) || noProxyRules.some((matches) => matches(url))) return undefined;
    return toProxyUrl(variable, proxy);
  };
}

/** The URL may contain a password, so no message repeats it. */
function toProxyUrl(variable: string, value: string): string {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (/^https?:/i.test(url) && URL.canParse(url)) return url;
  throw new SpillwayError("config_invalid", `The proxy in ${variable} (or ALL_PROXY) cannot be used.`, {
    hint: "Write it as http://proxy.example.com:3128, or unset the variable.",
  });
}

/** A proxy on another machine cannot reach this machine's loopback addresses. */
function isLoopback({ hostname }: URL): boolean {
  return isLoopbackHost(canonicalHost(hostname));
}

/** `example.com` and `.example.com` mean the host and its subdomains, `*` means everything; a port narrows it. */
function toNoProxyRule(entry: string): (url: URL) => boolean {
  if (entry === "*") return () => true;
  const [, name = "", port] = /^(.*?)(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? [];
  const host = canonicalHost(name.replace(/^\*?\./, ""));
  return (url) => {
    const requestedHost = canonicalHost(url.hostname);
    return (
      (requestedHost === host || requestedHost.endsWith(`.${host}`)) && (port === undefined || port === getPort(url))
    );
  };
}

/** The port of a URL, explicit or by its protocol. */
export function getPort({ port, protocol }: URL): string {
  return port || (protocol === "https:" ? "443" : "80");
}
