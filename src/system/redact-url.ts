/** URLs without their secrets: for records, replies, logs and errors, which outlive the request they were given for. */

/** What is shown in place of a secret. */
export const REDACTED = "***";

/** A URL without user name and password, and with the values of parameters that look like secrets replaced. */
export function redactUrl(address: string): string {
  return redactToDepth(address, MAX_NESTED_URLS);
}

/** Whether something in this URL was replaced, so that it cannot be fetched as it is. */
export const isRedacted = (address: string): boolean => address.includes(REDACTED);

/** How many URLs inside of each other are looked into; every one has to be decoded. */
const MAX_NESTED_URLS = 5;

function redactToDepth(address: string, depth: number): string {
  const [path = "", ...parameters] = removeUserinfo(address).split(/(?=[?&#])/);
  const parts = [redactPath(path), ...parameters.map((part) => redactParameter(part, depth))];
  return redactKnownTokens(parts.join(""));
}

function removeUserinfo(address: string): string {
  return address.replace(/^(\s*[a-z][a-z0-9+.-]*:[/\\]*)[^/?#\\]*@/i, "$1");
}

/** `/page;jsessionid=1f2e/part` */
function redactPath(path: string): string {
  return path.replace(/([;/])([^=;/]+)=([^;/]*)/g, (all, separator: string, name: string) =>
    isSecretName(name) ? `${separator}${name}=${REDACTED}` : all,
  );
}

/** One `?name=value`, `&name=value` or `#name=value`; some servers separate further parameters by semicolons. */
function redactParameter(part: string, depth: number): string {
  for (const match of part.matchAll(/[?&#;]([^=;]+)=/g)) {
    const valueStart = match.index + match[0].length;
    // A semicolon may also belong to the value, so everything that follows is part of the secret.
    if (valueStart < part.length && isSecretName(match[1] ?? "")) return part.slice(0, valueStart) + REDACTED;
  }
  return depth === 0 ? part : redactNested(part, depth - 1);
}

/** A value may be another URL, encoded as often as it was passed on. */
function redactNested(part: string, depth: number): string {
  const valueStart = part.indexOf("=") + 1;
  const value = part.slice(valueStart);
  const decoded = decodePercent(value);
  if (valueStart === 0 || decoded === value) return part;
  const redacted = redactToDepth(decoded, depth);
  return redacted === decoded ? part : part.slice(0, valueStart) + encodeURIComponent(redacted);
}

/** Parts of names that stand for a secret, in lower case and without separators: `X-Amz-Signature`, `apiKey`. */
const secretNames = new RegExp(
  [
    "token|secret|passw|passphrase|passcode|signature|credential|accesskey|authoriz|bearer|jwt|assertion|saml|sessionid|sessid",
    "(?:key|sig|auth|pwd|hmac|otp|ticket)$",
    "^(?:code|pass|pw|psw|pin|sid|session)$",
    "(?:auth|access|invite|login|reset|verification|activation|device)code$",
  ].join("|"),
);

export function isSecretName(name: string): boolean {
  const plainName = decodePercent(name)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "");
  return secretNames.test(plainName);
}

/** Tokens whose form alone gives them away, wherever they are: JSON web tokens and keys with a vendor's prefix. */
const knownTokens = new RegExp(
  [
    "eyJ[\\w-]{8,}\\.[\\w-]{8,}(?:\\.[\\w-]*)*",
    "\\b(?:sk|pk|rk)[-_][\\w-]{16,}",
    "\\b(?:gh[oprsu]|github_pat|glpat|npm|hf|xox[abeprs])[-_][\\w-]{16,}",
    "\\b(?:AKIA|ASIA)[A-Z0-9]{16}\\b",
    "\\bAIza[\\w-]{30,}",
    "\\bya29\\.[\\w-]{16,}",
    "\\b\\d{8,10}:AA[\\w-]{30,}",
  ].join("|"),
  "g",
);

/** A text without tokens that are known by how they look. */
export function redactKnownTokens(text: string): string {
  return text.replace(knownTokens, REDACTED);
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A stray % is kept as it is.
  }
}
