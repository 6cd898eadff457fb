/** Where a PostgreSQL server is: parses the URL of the setting store.catalogue. */
import { isIP } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { SpillwayError } from "../errors.ts";

export type PostgresAddress = {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly password?: string;
  /** The schema that holds the tables; undefined for that of the user. */
  readonly schema?: string;
  readonly ssl: ConnectionOptions | false;
};

const DEFAULT_PORT = 5432;

/** The address in a URL such as `postgres://spillway@db.example.com/spillway`. No variable of the environment counts. */
export function parsePostgresAddress(given: string, password?: string): PostgresAddress {
  const url = parse(given);
  const host = url.searchParams.get("host") ?? url.hostname.replaceAll(/^\[|\]$/g, "");
  const user = decode(url.username);
  const database = decode(url.pathname.slice(1));
  if (host === "" || user === "" || database === "") throw invalidAddress("it must name a user, a host and a database");
  const schema = url.searchParams.get("schema") ?? undefined;
  if (schema !== undefined && !/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw invalidAddress("its schema is not a plain name");
  const secret = password ?? decode(url.password);
  return {
    host,
    port: Number(url.port) || DEFAULT_PORT,
    user,
    database,
    ssl: readTls(url, host),
    ...(secret === "" ? {} : { password: secret }),
    ...(schema === undefined ? {} : { schema }),
  };
}

/** The address without what is secret, for people. */
export const describeAddress = ({ host, port, database }: PostgresAddress): string =>
  `database ${database} on ${host}:${port}`;

const knownParameters = ["sslmode", "host", "schema"];

function parse(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !["postgres:", "postgresql:"].includes(url.protocol))
    throw invalidAddress("it is not a URL");
  const unknown = [...url.searchParams.keys()].find((name) => !knownParameters.includes(name));
  if (unknown !== undefined) throw invalidAddress(`it has a parameter ${JSON.stringify(unknown.slice(0, 40))}`);
  return url;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalidAddress("it has a % that does not encode a character (write % itself as %25)");
  }
}

/** Without a word about it, a connection is encrypted and the certificate checked, unless it stays on this machine. */
function readTls(url: URL, host: string): ConnectionOptions | false {
  const mode = url.searchParams.get("sslmode") ?? (isLocal(host) ? "disable" : "verify-full");
  if (mode === "disable") return false;
  // The name in a certificate is compared with the name that is given here; an address must not be a server name.
  const identity = isIP(host) === 0 ? { servername: host } : { host };
  if (mode === "verify-full") return identity;
  if (mode === "verify-ca") return { ...identity, checkServerIdentity: () => undefined };
  if (mode === "require" || mode === "no-verify") return { ...identity, rejectUnauthorized: false };
  throw invalidAddress("its sslmode is not disable, require, verify-ca or verify-full");
}

const isLocal = (host: string): boolean =>
  host.startsWith("/") || ["localhost", "127.0.0.1", "::1"].includes(host.toLowerCase());

/** Never shows the value, which may hold a password. */
function invalidAddress(fact: string): SpillwayError {
  return new SpillwayError("config_invalid", `The setting store.catalogue cannot be used: ${fact}.`, {
    hint: "Write it as postgres://USER@HOST/DATABASE, with ?sslmode=disable where there is no TLS, and the password in SPILLWAY_STORE_PASSWORD.",
  });
}
