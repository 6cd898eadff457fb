/** Certificates that a connection trusts besides those of the platform. */
import { readFile } from "node:fs/promises";
import { getCACertificates, rootCertificates } from "node:tls";
import { SpillwayError } from "../errors.ts";

/** The platform's certificates and those of the file that network.ca_file names. */
export async function readTrustedCertificates(file: string): Promise<{ readonly ca: string[] }> {
  try {
    const extra = await readFile(file, "utf8");
    if (!extra.includes("-----BEGIN CERTIFICATE-----")) throw new Error("It contains no certificate in PEM.");
    // Node before 22.15 cannot list its default certificates.
    return { ca: [...(getCACertificates?.("default") ?? rootCertificates), extra] };
  } catch (cause) {
    throw new SpillwayError("config_invalid", `The certificates of network.ca_file cannot be used: ${file}.`, {
      hint: "Name a file in PEM that this user can read.",
      cause,
    });
  }
}

/** The codes of connections that failed because of their certificates. */
const certificateCodes = /^(?:ERR_TLS_CERT|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO$)/;

export const isCertificateCode = (code: string | undefined): boolean => certificateCodes.test(code ?? "");
