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
  const parts = [redactPath(path, depth), ...parameters.map((part) => redactParameter(part, depth))];
  return redactKnownTokens(redactMembers(parts.join("")));
}

function removeUserinfo(address: string): string {
  return address.replace(/^(\s*[a-z][a-z0-9+.-]*:[/\\]*)[^/?#\\]*@/i, "$1");
}

/** `/page;jsessionid=1f2e/part`, and `/proxy/https%3A%2F%2Fb.example%2F%3Ftoken%3D1f2e` */
function redactPath(path: string, depth: number): string {
  const plain = path.replace(/(^|[;/])([^=;/]+)=([^;/]*)/g, (all, separator: string, name: string) =>
    isSecretName(name) ? `${separator}${name}=${REDACTED}` : all,
  );
  return plain
    .split("/")
    .map((segment) => redactEncoded(segment, depth))
    .join("/");
}

/** One `?name=value`, `&name=value` or `#name=value`; some servers separate further parameters by semicolons. */
function redactParameter(part: string, depth: number): string {
  for (const match of part.matchAll(/[?&#;]([^=;]+)=/g)) {
    const valueStart = match.index + match[0].length;
    // A semicolon may also belong to the value, so everything that follows is part of the secret.
    if (valueStart < part.length && isSecretName(match[1] ?? "")) return part.slice(0, valueStart) + REDACTED;
  }
  const valueStart = part.indexOf("=") + 1;
  return part.slice(0, valueStart) + redactEncoded(part.slice(valueStart), depth);
}

/** A text may be another URL, or JSON, encoded as often as it was passed on. */
function redactEncoded(text: string, depth: number): string {
  const decoded = decodeFully(text);
  if (decoded === text) return text;
  if (decoded === undefined || depth === 0) return REDACTED;
  const redacted = redactToDepth(decoded, depth - 1);
  return redacted === decoded ? text : encodeURIComponent(redacted);
}

/** The start of a member of JSON up to its value: `{"token":`, also with escaped quotes or none. */
const memberStart = /[{,]\s*(\\*["']?)([\w.$ -]{1,100}?)\1\s*:\s*/g;

function redactMembers(text: string): string {
  if (!text.includes("{")) return text;
  let redacted = "";
  let end = 0;
  for (const match of text.matchAll(memberStart)) {
    if (match.index < end || !isSecretName(match[2] ?? "")) continue;
    const valueStart = match.index + match[0].length;
    const quote = /^\\*["']/.exec(text.slice(valueStart, valueStart + MAX_QUOTE_CHARS))?.[0] ?? "";
    redacted += text.slice(end, valueStart) + quote + REDACTED + quote;
    end = findValueEnd(text, valueStart, quote);
  }
  return redacted + text.slice(end);
}

/** Backslashes before a quote: each level of JSON inside of JSON doubles them. */
const MAX_QUOTE_CHARS = 32;

/** After the quote that ends a value, or before what follows a number. The rest of the text where that is not clear. */
function findValueEnd(text: string, start: number, quote: string): number {
  const ends = quote === "" ? /[,}\]]/g : /["'](?=\s*[,}\]])/g;
  ends.lastIndex = start + quote.length;
  const isList = quote === "" && /[[{]/.test(text.charAt(start));
  const found = isList ? null : ends.exec(text);
  return found === null ? text.length : found.index + quote.slice(-1).length;
}

/** Words that name a secret, wherever they are in a name: `X-Amz-Credential`, `oauth_verifier`, `clientSecret`. */
const secretWords = new Set(
  (
    "secret password passwd passwort pswd pwd psw passphrase passcode cred creds credential credentials signature " +
    "oauth authorization bearer jwt assertion saml hmac csrf xsrf otp totp verifier hdnts hdnea hdntl"
  ).split(" "),
);

/** Words that name a secret at the end of a name: a `token_type` or a `key_size` is none. */
const secretEndings = new Set("token tok tkn key sig sgn auth pass pw sid session sess cookie ticket nonce".split(" "));

/** What may follow the word that matters: `session_id`, `key1`, `token_value`. */
const emptyEndings = new Set("id ids value val str string hash digest hex raw enc encoded b64 base64".split(" "));

/** Places in a list and names of data: `sort_key`, `page_token`. They are no secrets, and a URL is useless without them. */
const openNames = new RegExp(
  [
    "^(?:sort|order|group|partition|primary|foreign|public|cache|index|row|column|map|data|item|field|lookup|locale)keys?$",
    "^(?:page|next|nextpage|prev|previous|prevpage|continuation|sync|resume|start|cursor|max|num|total)tokens?$",
  ].join("|"),
);

/** Names without separators: `apikey`, `phpsessid`, `accesstoken`. Not every word that ends in "key" is one: `monkey`. */
const joinedName = new RegExp(
  [
    "(?:token|secret|passw(?:or)?d|pswd|passphrase|passcode|signature|credentials?|sess(?:ion)?id|nonce)$",
    "^(?:api|app|access|auth|secret|private|licen[cs]e|subscription|client|user|hash|sign(?:ing)?|enc(?:ryption)?|shared|account|master|storage|consumer|dev(?:eloper)?|service|server|session|pass|web|login|download|share|admin|x)+key(?:id)?$",
    "^(?:api|app|auth|url|user|access|login|x)+(?:sig|sign|auth|tok|tkn|pass|pwd|pw|pin|ticket|otp|cookie)$",
    "accesskey(?:id)?$|saml(?:request|response)",
    "(?:auth|authorization|access|invite|invitation|login|reset|verification|confirmation|activation|device)code$",
  ].join("|"),
);

/** Whether a name stands for a secret. */
export function isSecretName(name: string): boolean {
  const words = splitName(decodeFully(name) ?? "secret");
  const joined = words.join("");
  if (openNames.test(joined)) return false;
  const last = words.findLast((word) => !emptyEndings.has(word)) ?? "";
  return (
    ["code", "pin", "sign"].includes(joined) ||
    words.some((word) => secretWords.has(word)) ||
    secretEndings.has(last) ||
    [joined, last].some((name) => joinedName.test(name))
  );
}

/** `X-Amz-SignedHeaders` and `xAmzSignedHeaders2` as words in lower case, without numbers. */
function splitName(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== "");
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

/** More levels of encoding than anything that works has. */
const MAX_DECODINGS = 8;

/** The text without any percent-encoding; undefined where there are more levels of it than are looked into. */
function decodeFully(text: string): string | undefined {
  let decoded = text;
  for (let level = 0; level < MAX_DECODINGS; level++) {
    const next = decodePercent(decoded);
    if (next === decoded) return decoded;
    decoded = next;
  }
  return undefined;
}

/** Stray percent signs, and bytes that are not UTF-8, stay as they are. */
function decodePercent(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}
