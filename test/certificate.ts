/** Makes certificates at run time, so that tests can use TLS without a private key in the repository. */
import { generateKeyPairSync, sign } from "node:crypto";

export type Certificate = { readonly key: string; readonly cert: string };

/** Self-signed, valid for a day on either side of now, for these names and IPv4 addresses. */
export function makeCertificate(names: readonly string[], addresses: readonly string[] = []): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
  const issuer = sequence(tagged(0x31, sequence(oid(0x55, 0x04, 0x03), tagged(0x0c, Buffer.from("spillway test")))));
  const day = 24 * 3_600_000;
  const body = sequence(
    tagged(0xa0, integer(2)),
    integer(1),
    algorithm,
    issuer,
    sequence(time(Date.now() - day), time(Date.now() + day)),
    issuer,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(basicConstraints(), alternativeNames(names, addresses))),
  );
  const signature = tagged(0x03, Buffer.from([0]), sign("sha256", body, privateKey));
  const der = sequence(body, algorithm, signature);
  return { key: String(privateKey.export({ type: "pkcs8", format: "pem" })), cert: pem(der) };
}

function basicConstraints(): Buffer {
  return sequence(oid(0x55, 0x1d, 0x13), tagged(0x04, sequence(tagged(0x01, Buffer.from([0xff])))));
}

function alternativeNames(names: readonly string[], addresses: readonly string[]): Buffer {
  const dns = names.map((name) => tagged(0x82, Buffer.from(name)));
  const ips = addresses.map((address) => tagged(0x87, Buffer.from(address.split(".").map(Number))));
  return sequence(oid(0x55, 0x1d, 0x11), tagged(0x04, sequence(...dns, ...ips)));
}

/** One DER value: its tag, its length, its content. */
function tagged(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const length = content.length < 0x80 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const sequence = (...parts: readonly Uint8Array[]): Buffer => tagged(0x30, ...parts);
const integer = (value: number): Buffer => tagged(0x02, Buffer.from([value]));
const oid = (...bytes: readonly number[]): Buffer => tagged(0x06, Buffer.from(bytes));
const time = (ms: number): Buffer =>
  tagged(0x17, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]/g, "").slice(2, 14)}Z`));

function pem(der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
