/** A PostgreSQL server of the tests' own: in a temporary folder, on loopback, ended with this process. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { type PostgresAddress, parsePostgresAddress } from "../src/catalogue/postgres-address.ts";
import type { Certificate } from "./certificate.ts";

export type PostgresServer = {
  readonly port: number;
  readonly password: string;
  /** A new, empty database. */
  makeDatabase(): Promise<TestDatabase>;
  start(): Promise<void>;
  /** Ends the server: at once, or as a killed machine would. */
  stop(how?: "fast" | "kill"): Promise<void>;
} & AsyncDisposable;

export type TestDatabase = { readonly url: string; readonly address: PostgresAddress };

/** The server, or why there is none, in one sentence. */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
  certificate?: Certificate,
): Promise<PostgresServer | string> {
  const programs = findPrograms();
  if (programs === undefined) return "PostgreSQL is not installed (Debian: apt-get install postgresql)";
  const user = findUser();
  if (user === undefined) return "PostgreSQL does not run as root, and there is no user postgres or nobody";
  return startServer(programs, user, settings, certificate);
}

async function startServer(
  programs: string,
  user: User,
  settings: Readonly<Record<string, string>>,
  certificate: Certificate | undefined,
): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), "spillway-postgres-"));
  const data = join(folder, "data");
  const password = randomBytes(12).toString("hex");
  await writeFile(join(folder, "password"), password);
  for (const path of [folder, join(folder, "password")]) await chown(path, user.uid, user.gid);
  const login = ["--username=spillway", `--pwfile=${join(folder, "password")}`, "--auth=scram-sha-256"];
  run(user, join(programs, "initdb"), ["-D", data, ...login, "--encoding=UTF8", "--locale=C", "--no-sync"]);
  const encryption = certificate === undefined ? {} : await installCertificate(data, certificate, user);
  const port = await findFreePort();
  let running: ChildProcess | undefined;
  let databases = 0;

  async function start(): Promise<void> {
    // Without syncing: the tests end processes, not machines.
    const all = { fsync: "off", max_connections: "200", log_min_messages: "log", ...encryption, ...settings };
    const flags = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const args = ["-D", data, "-h", "127.0.0.1", "-p", String(port), "-k", "", ...flags];
    running = spawn(...asUser(user, join(programs, "postgres"), args), { stdio: ["ignore", "ignore", "pipe"] });
    await saysReady(running);
  }

  async function stop(how: "fast" | "kill" = "fast"): Promise<void> {
    const child = running;
    running = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(how === "fast" ? "SIGINT" : "SIGQUIT");
    await ended;
  }

  async function makeDatabase(): Promise<TestDatabase> {
    const name = `test_${process.pid}_${++databases}`;
    const client = new pg.Client({ host: "127.0.0.1", port, user: "spillway", password, database: "postgres" });
    await client.connect();
    await client.query(`CREATE DATABASE ${name}`);
    await client.end();
    const url = `postgres://spillway:${password}@127.0.0.1:${port}/${name}`;
    return { url, address: parsePostgresAddress(url) };
  }

  await start();
  return {
    port,
    password,
    makeDatabase,
    start,
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The server reads its key only from a file that is its own. */
async function installCertificate(data: string, { key, cert }: Certificate, { uid, gid }: User) {
  const files = { ssl_key_file: join(data, "server.key"), ssl_cert_file: join(data, "server.crt") };
  await writeFile(files.ssl_key_file, key, { mode: 0o600 });
  await writeFile(files.ssl_cert_file, cert);
  for (const path of Object.values(files)) await chown(path, uid, gid);
  return { ssl: "on", ...files };
}

type User = { readonly uid: number; readonly gid: number };

/** The folder of the newest installed version. */
function findPrograms(): string | undefined {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root)
    ? readdirSync(root)
        .map(Number)
        .filter((version) => version >= 15)
    : [];
  const folders = [...versions.sort((a, b) => b - a).map((version) => join(root, String(version), "bin"))];
  const path = process.env.PATH?.split(":") ?? [];
  return [...folders, ...path].find(
    (folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")),
  );
}

/** The user that the server runs as: PostgreSQL refuses to run as root. */
function findUser(): User | undefined {
  const uid = process.getuid?.() ?? 0;
  if (uid !== 0) return { uid, gid: process.getgid?.() ?? uid };
  for (const name of ["postgres", "nobody"]) {
    try {
      const id = (flag: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8" }));
      return { uid: id("-u"), gid: id("-g") };
    } catch {
      // The next one may exist.
    }
  }
  return undefined;
}

/** The command as that user, ended when this process dies. */
function asUser({ uid, gid }: User, program: string, args: readonly string[]): [string, string[]] {
  const flags = process.getuid?.() === 0 ? [`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"] : [];
  return ["setpriv", [...flags, "--pdeathsig=INT", program, ...args]];
}

function run(user: User, program: string, args: readonly string[]): void {
  execFileSync(...asUser(user, program, args), { stdio: "ignore", cwd: "/" });
}

/** A port of loopback that is free now. */
export async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Reads on afterwards: a server whose messages nobody reads stops. */
async function saysReady(child: ChildProcess): Promise<void> {
  let text = "";
  await new Promise<void>((resolve, reject) => {
    child.once("exit", () => reject(new Error(`PostgreSQL did not start: ${text}`)));
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      text = (text + chunk).slice(-4_000);
      if (text.includes("ready to accept connections")) resolve();
    });
  });
}
