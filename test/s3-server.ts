/** An S3 server of the tests' own: a real one, in a temporary folder, on loopback, ended with this process. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { readS3Address, type S3Settings } from "../src/artifacts/s3/s3-address.ts";
import type { Certificate } from "./certificate.ts";
import { findFreePort } from "./postgres-server.ts";
import { waitUntil } from "./waiting.ts";

export type S3Server = {
  readonly port: number;
  /** The settings of a new, empty place in a bucket. */
  makePlace(): S3Settings;
  start(): Promise<void>;
  kill(): Promise<void>;
} & AsyncDisposable;

const BUCKET = "spillway-tests";

export type S3ServerOptions = {
  readonly certificate?: Certificate;
  /** Below which buckets are named by the host of a request. */
  readonly domain?: string;
};

/** The server, or why there is none, in one sentence. */
export async function startS3({ certificate, domain }: S3ServerOptions = {}): Promise<S3Server | string> {
  const program = findProgram();
  if (program === undefined) {
    return "no S3 server is installed (go install github.com/versity/versitygw/cmd/versitygw@v1.8.0)";
  }
  const folder = await mkdtemp(join(tmpdir(), "spillway-s3-"));
  const credentials = { "store.access_key": "tester", "store.secret_key": randomBytes(12).toString("hex") };
  const port = await findFreePort();
  let running: ChildProcess | undefined;
  let places = 0;
  await mkdir(join(folder, "data", BUCKET), { recursive: true });
  await mkdir(join(folder, "facts"));
  const files = { key: join(folder, "server.key"), cert: join(folder, "server.crt") };
  if (certificate !== undefined)
    for (const name of ["key", "cert"] as const) await writeFile(files[name], certificate[name]);
  const encryption = certificate === undefined ? [] : ["--cert", files.cert, "--key", files.key];

  async function start(): Promise<void> {
    const env = {
      PATH: process.env.PATH,
      ROOT_ACCESS_KEY: credentials["store.access_key"],
      ROOT_SECRET_KEY: credentials["store.secret_key"],
    };
    const args = [
      "--port",
      `127.0.0.1:${port}`,
      "--keep-alive",
      "--quiet",
      ...encryption,
      ...(domain === undefined ? [] : ["--virtual-domain", domain]),
      "posix",
      "--sidecar",
      join(folder, "facts"),
    ];
    const command = ["--pdeathsig=KILL", program ?? "", ...args, join(folder, "data")];
    running = spawn("setpriv", command, { stdio: "ignore", env });
    await waitUntil("the S3 server listens", () => isListening(port));
  }

  async function kill(): Promise<void> {
    const child = running;
    running = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  await start();
  return {
    port,
    makePlace: () => ({
      ...credentials,
      "store.objects": `s3://${BUCKET}/place-${process.pid}-${++places}`,
      "store.endpoint": `${certificate === undefined ? "http" : "https"}://127.0.0.1:${port}`,
      "store.region": "us-east-1",
      "store.addressing": "auto",
      "store.session_token": null,
    }),
    start,
    kill,
    async [Symbol.asyncDispose]() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The address of a new, empty place. */
export const makeAddress = (server: S3Server) => readS3Address(server.makePlace());

function findProgram(): string | undefined {
  const folders = [...(process.env.PATH?.split(":") ?? []), join(homedir(), "go", "bin"), "/usr/local/bin"];
  return folders.map((folder) => join(folder, "versitygw")).find((path) => existsSync(path));
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
