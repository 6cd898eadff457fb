/** Signs requests to S3-compatible services: AWS Signature Version 4, with the hash of the body. */
import { createHash, createHmac } from "node:crypto";

export type Credentials = {
  readonly accessKey: string;
  readonly secretKey: string;
  /** Of temporary credentials. */
  readonly sessionToken?: string;
};

export type UnsignedRequest = {
  readonly method: string;
  /** The host as it is sent, with its port if that is not the usual one. */
  readonly host: string;
  /** Encoded, beginning with `/`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The SHA-256 of the body, which the service compares with what it received. */
  readonly bodyHash: string;
};

export const hashBytes = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex");

export const EMPTY_HASH = hashBytes("");

/** All headers of the request, with its signature; names are in lower case. */
export function signRequest(
  request: UnsignedRequest,
  { accessKey, secretKey, sessionToken }: Credentials,
  region: string,
  now: number,
): Record<string, string> {
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
  const day = time.slice(0, 8);
  const scope = `${day}/${region}/s3/aws4_request`;
  const headers = {
    ...request.headers,
    host: request.host,
    "x-amz-content-sha256": request.bodyHash,
    "x-amz-date": time,
    ...(sessionToken === undefined ? {} : { "x-amz-security-token": sessionToken }),
  };
  const names = Object.keys(headers).sort();
  const canonical = [
    request.method,
    request.path,
    encodeQuery(request.query),
    ...Object.entries(headers)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => `${name}:${value.trim()}`),
    "",
    names.join(";"),
    request.bodyHash,
  ].join("\n");
  const text = ["AWS4-HMAC-SHA256", time, scope, hashBytes(canonical)].join("\n");
  const signature = createHmac("sha256", signingKey(secretKey, day, region))
    .update(text)
    .digest("hex");
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${names.join(";")}, Signature=${signature}`;
  return { ...headers, authorization };
}

/** As it is signed and sent: sorted, and encoded more strictly than URLs need to be. */
export function encodeQuery(query: Readonly<Record<string, string>>): string {
  return Object.entries(query)
    .map(([name, value]) => `${encodeStrictly(name)}=${encodeStrictly(value)}`)
    .sort()
    .join("&");
}

export const encodePath = (path: string): string => path.split("/").map(encodeStrictly).join("/");

const encodeStrictly = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** The key of the day. Making one takes four hashes, so the last one is kept. */
const signingKey = (() => {
  let last: { readonly source: string; readonly key: Buffer } | undefined;
  return (secretKey: string, day: string, region: string): Buffer => {
    const source = `${secretKey} ${day} ${region}`;
    if (last?.source === source) return last.key;
    const steps = [day, region, "s3", "aws4_request"];
    const key = steps.reduce<Buffer>(
      (before, step) => createHmac("sha256", before).update(step).digest(),
      Buffer.from(`AWS4${secretKey}`),
    );
    last = { source, key };
    return key;
  };
})();
