/** Failures of PostgreSQL as faults of the catalogue. */
import { SpillwayError, systemCode } from "../errors.ts";
import { isCertificateCode } from "../system/trusted-certificates.ts";
import { CatalogueError, type CatalogueFault, REQUIREMENT, RequirementError } from "./sql.ts";

/** What a failed attempt means for the next one. */
export type Failure = {
  /** Nothing was changed, and the same transaction may succeed when it is run again. */
  readonly isConflict: boolean;
  /** The connection is of no use any more; another one may be. */
  readonly isConnectionLost: boolean;
  /** A CatalogueError, or the error itself where it is a bug. */
  readonly error: unknown;
};

/** The form of the codes that PostgreSQL gives its errors. */
const stateForm = /^[0-9A-Z]{5}$/;

/** Faults by the first characters of the code: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const faults: readonly (readonly [prefix: string, fault: CatalogueFault])[] = [
  ["08", "unreachable"],
  ["25006", "read_only"],
  ["28", "refused"],
  ["3D", "refused"],
  ["3F", "refused"],
  ["40", "busy"],
  ["42501", "refused"],
  ["53100", "full"],
  ["53300", "busy"],
  ["55P03", "busy"],
  ["57014", "busy"],
  ["57P", "unreachable"],
  ["XX001", "damaged"],
  ["XX002", "damaged"],
];

/** Classes of errors in a statement or in its values: bugs of ours. */
const mistakes = ["22", "23", "26", "42", "0A"];

/** not_null_violation */
const NULL_IS_REFUSED = "23502";

export function explainFailure(error: unknown): Failure {
  if ([CatalogueError, RequirementError, SpillwayError].some((known) => error instanceof known))
    return { isConflict: false, isConnectionLost: false, error };
  const state = stateOf(error);
  if (state === undefined) return explainLostConnection(error);
  const isStale = state === "0A000" && /cached plan/.test(String(error));
  const fault = faults.find(([prefix]) => state.startsWith(prefix))?.[1];
  return {
    isConflict: state === "40001" || state === "40P01",
    isConnectionLost: isStale || fault === "unreachable",
    error: describe(error, state, isStale ? "busy" : fault),
  };
}

const stateOf = (error: unknown): string | undefined => {
  const code = systemCode(error);
  return code !== undefined && stateForm.test(code) && error instanceof Error && "severity" in error ? code : undefined;
};

function describe(error: unknown, state: string, fault: CatalogueFault | undefined): unknown {
  const sentence = error instanceof Error ? error.message : String(error);
  if (fault !== undefined) return new CatalogueError(fault, sentence, error);
  if (isRequirement(error, state)) return new RequirementError("A required row is missing.", { cause: error });
  // Without its code, which other code would take for one of the system.
  if (mistakes.some((prefix) => state.startsWith(prefix))) return new Error(sentence, { cause: error });
  return new CatalogueError("failed", sentence, error);
}

const isRequirement = (error: unknown, state: string): boolean =>
  state === NULL_IS_REFUSED &&
  error instanceof Error &&
  "table" in error &&
  error.table === REQUIREMENT.table &&
  "column" in error &&
  error.column === REQUIREMENT.column;

function findTlsFault(error: unknown): CatalogueFault | undefined {
  if (isCertificateCode(systemCode(error))) return "untrusted";
  if (!(error instanceof Error)) return undefined;
  if (/does not support SSL/i.test(error.message)) return "unencrypted";
  return /\bssl\b/i.test(error.message) ? "refused" : undefined;
}

/** What the client says about connections that ended or never began has no code. */
const lostForm =
  /connection (?:terminated|error|timeout)|timeout (?:expired|exceeded)|read timeout|not queryable|was closed/i;

function explainLostConnection(error: unknown): Failure {
  const isSystemError = systemCode(error) !== undefined || error instanceof AggregateError;
  const fault = findTlsFault(error);
  if (error instanceof Error && fault !== undefined)
    return { isConflict: false, isConnectionLost: true, error: new CatalogueError(fault, error.message, error) };
  const isLost = isSystemError || (error instanceof Error && lostForm.test(error.message));
  if (!isLost) return { isConflict: false, isConnectionLost: false, error };
  const sentence = error instanceof Error && error.message !== "" ? error.message : "The connection failed.";
  return { isConflict: false, isConnectionLost: true, error: new CatalogueError("unreachable", sentence, error) };
}
