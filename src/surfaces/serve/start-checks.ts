/** Refuses to listen where clients could not trust the connection or anybody could be one. */
import type { Settings } from "../../config/settings.ts";
import { SpillwayError } from "../../errors.ts";
import { clip } from "../../system/safe-names.ts";
import { isLoopback } from "./guard/request-checks.ts";

/** Throws unless the settings say how the server is protected. `hasTokens`: a token or an issuer that lets clients in. */
export function checkStart(settings: Settings, hasTokens: boolean): void {
  for (const host of settings["serve.hosts"]) requireHost(host);
  for (const origin of settings["serve.origins"]) requireOrigin(origin);
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
      `Without a token nobody could use the server on ${clip(address)}.`,
      "Make one: spillway token add NAME.",
    );
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
