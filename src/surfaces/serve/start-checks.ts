/** Refuses to listen where clients could not trust the connection or anybody could be one. */
import type { Settings } from "../../config/settings.ts";
import { SpillwayError } from "../../errors.ts";
import { clip } from "../../system/safe-names.ts";
import { isLoopback } from "./guard/request-checks.ts";

/** Throws unless the settings say how the server is protected. `hasTokens`: a token or an issuer that lets clients in. */
export function checkStart(settings: Settings, hasTokens: boolean): void {
  for (const host of settings["serve.hosts"]) requireHost(host);
  for (const origin of settings["serve.origins"]) requireOrigin(origin);
  checkIssuer(settings);
  const address = settings["serve.address"];
  if (isLoopback(address)) return;
  if (settings["serve.tls"] !== "in_front")
    throw refusal(
      `The address ${clip(address)} is reachable from other machines, and tokens would be sent to it without TLS.`,
      "Put a reverse proxy with TLS in front and say so: --set serve.tls=in_front. Or use serve.address=127.0.0.1.",
    );
  if (settings["serve.hosts"].length === 0)
    throw refusal(
      `Behind ${clip(address)}, the host name that clients use is not known.`,
      "Name it: --set serve.hosts=mcp.example.com.",
    );
  if (!hasTokens)
    throw refusal(
      `Without a token no client could use the server on ${clip(address)}.`,
      "Make one: spillway token add NAME.",
    );
}

/** Keys that are not read over a trusted connection could be anyone's. */
function checkIssuer(settings: Settings): void {
  const { "serve.issuer": issuer, "serve.keys": keys, "serve.algorithms": algorithms } = settings;
  for (const [name, url] of [
    ["serve.issuer", issuer],
    ["serve.keys", keys],
  ] as const)
    if (url !== null && !isTrustedUrl(url))
      throw refusal(
        `${name} is ${JSON.stringify(clip(url))}, which is not an https URL.`,
        "Use https; http is accepted for 127.0.0.1 and localhost only.",
      );
  const refused = algorithms.find((name) => !/^(?:RS|PS|ES)(?:256|384|512)$|^(?:EdDSA|Ed25519)$/.test(name));
  if (refused === undefined && algorithms.length > 0) return;
  throw refusal(
    `serve.algorithms has ${JSON.stringify(clip(refused ?? ""))}, which is not a signature with a public key.`,
    "Use some of RS256, PS256, ES256, ES384, EdDSA.",
  );
}

function isTrustedUrl(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname.replace(/^\[|\]$/g, "")));
}

function requireHost(host: string): void {
  if (/^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(host)) return;
  throw refusal(
    `serve.hosts has ${JSON.stringify(clip(host))}, which is not a host name.`,
    "Write it as clients send it, without a scheme, a path or a wildcard: mcp.example.com or mcp.example.com:8443.",
  );
}

function requireOrigin(origin: string): void {
  if (URL.parse(origin)?.origin === origin.replace(/\/$/, "") && /^[a-z][a-z0-9+.-]*:\/\/[^*]+$/.test(origin)) return;
  throw refusal(
    `serve.origins has ${JSON.stringify(clip(origin))}, which is not an origin.`,
    "Write it as a browser sends it, without a path or a wildcard: https://app.example.com.",
  );
}

function refusal(sentence: string, hint: string): SpillwayError {
  return new SpillwayError("config_invalid", sentence, { hint });
}
