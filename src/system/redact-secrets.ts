/** Lines of a log without secrets, found by how they look and by the names they are assigned to. */
import { isSecretName, REDACTED, redactKnownTokens } from "./redact-url.ts";

/** A scheme of the Authorization header and what follows it. */
const CREDENTIALS = /\b(bearer|basic|token)[ :=]+["']?[\w.~+/=-]{8,}/gi;

/** A password before the host of a URL. */
const USERINFO = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi;

/** `API_KEY=value`, `"token": "value"`, `password: value` */
const ASSIGNED = /(["']?)([\w.-]{2,60})\1(\s*[:=]\s*)(?:"([^"]*)"|'([^']*)'|([^\s,;"'}\]]+))/g;

/** The text with each secret replaced. */
export function redactSecrets(text: string): string {
  const assigned = text.replace(ASSIGNED, (all, quote: string, name: string, sign: string, ...values: unknown[]) => {
    const value = String(values[0] ?? values[1] ?? values[2] ?? "");
    const isSecret = value.length >= MIN_SECRET_CHARS && isSecretName(name) && !/^(bearer|basic|token)$/i.test(value);
    return isSecret ? `${quote}${name}${quote}${sign}${REDACTED}` : all;
  });
  return redactKnownTokens(assigned.replace(CREDENTIALS, `$1 ${REDACTED}`).replace(USERINFO, `$1${REDACTED}@`));
}

/** Shorter values are words such as `true`. */
const MIN_SECRET_CHARS = 6;
