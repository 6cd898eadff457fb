/** Failures of an S3-compatible service as faults of the objects. */
import { systemCode } from "../../errors.ts";
import { isCertificateCode } from "../../system/trusted-certificates.ts";
import { ObjectsError, type ObjectsFault } from "../objects.ts";

/** Faults by the service's own code; the status decides the others. */
const faults: Readonly<Record<string, ObjectsFault>> = {
  NoSuchBucket: "no_bucket",
  InvalidAccessKeyId: "refused",
  SignatureDoesNotMatch: "refused",
  AccessDenied: "refused",
  ExpiredToken: "refused",
  InvalidToken: "refused",
  AuthorizationHeaderMalformed: "refused",
  XAdminUserNotFound: "refused",
  SlowDown: "busy",
  RequestTimeTooSkewed: "clock",
  RequestExpired: "clock",
  QuotaExceeded: "full",
  XMinioStorageFull: "full",
  EntityTooLarge: "full",
  InsufficientStorage: "full",
  NotImplemented: "failed",
};

export function makeResponseError(status: number, code: string): ObjectsError {
  const fault = faults[code] ?? (status >= 300 && status < 400 ? "redirected" : statusFault(status));
  return new ObjectsError(fault, `The service answered ${status}${code === "" ? "" : ` ${code}`}.`);
}

function statusFault(status: number): ObjectsFault {
  if (status === 401 || status === 403) return "refused";
  if (status === 507) return "full";
  if (status === 409 || status === 429) return "busy";
  return status >= 500 && status !== 501 ? "unreachable" : "failed";
}

/** What the connection failed with. Messages of the client name addresses and codes, never headers. */
export function makeConnectionError(error: unknown): unknown {
  if (error instanceof ObjectsError) return error;
  const code = systemCode(error);
  if (isCertificateCode(code)) return new ObjectsError("untrusted", `Its certificate was refused (${code}).`, error);
  if (error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError")) {
    return new ObjectsError("unreachable", "The service did not answer in time.", error);
  }
  return code === undefined ? error : new ObjectsError("unreachable", `The connection failed (${code}).`, error);
}

/** The code in the body of an error: `<Error><Code>NoSuchKey</Code>...`. */
export const readErrorCode = (body: string): string => /<Code>([A-Za-z0-9.]{1,80})<\/Code>/.exec(body)?.[1] ?? "";
