/** LiteLLM's proxy as a peer, from the Python that SPILLWAY_PYTHON names. It reaches nothing but loopback. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A running proxy: its process, the address before `/v1/chat/completions`, and the key that it asks for. */
export type PeerProxy = AsyncDisposable & { readonly pid: number; readonly url: string; readonly key?: string };

/** It starts only with a key of this shape. */
const key = `sk-${randomBytes(32).toString("hex")}`;

const MAX_START_SECONDS = 120;

/** Null without a Python, or one without LiteLLM's proxy. */
export async function openLitellm(upstreamPort: number): Promise<PeerProxy | null> {
  const python = process.env.SPILLWAY_PYTHON;
  if (python === undefined) return null;
  const folder = await mkdtemp(join(tmpdir(), "bench-litellm-"));
  const config = join(folder, "config.json");
  await writeFile(config, JSON.stringify(describeModel(upstreamPort)));
  const port = await findFreePort();
  const args = ["--config", config, "--host", "127.0.0.1", "--port", String(port)];
  const child = spawn(join(dirname(python), "litellm"), args, { stdio: "ignore", env: loopbackOnly() });
  let hasFailed = false;
  child.once("error", () => (hasFailed = true)).once("exit", () => (hasFailed = true));
  const close = async () => {
    child.kill();
    await rm(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  if (child.pid !== undefined && (await isReady(url, () => hasFailed)))
    return { pid: child.pid, url, key, [Symbol.asyncDispose]: close };
  await close();
  return null;
}

function describeModel(port: number) {
  const params = { model: "openai/m", api_base: `http://127.0.0.1:${port}/v1`, api_key: "none" };
  return { model_list: [{ model_name: "m", litellm_params: params }], litellm_settings: { telemetry: false } };
}

/** Whatever it wants to download at its start goes to a port of this machine that answers nothing. */
function loopbackOnly(): NodeJS.ProcessEnv {
  const nowhere = "http://127.0.0.1:9";
  return {
    PATH: process.env.PATH,
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    NO_PROXY: "127.0.0.1",
    LITELLM_LOCAL_MODEL_COST_MAP: "True",
    LITELLM_TELEMETRY: "False",
    LITELLM_MASTER_KEY: key,
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
}

async function isReady(url: string, hasFailed: () => boolean): Promise<boolean> {
  for (let second = 0; second < MAX_START_SECONDS && !hasFailed(); second++) {
    const answer = await fetch(`${url}/health/liveliness`).catch(() => null);
    if (answer?.ok) return true;
    await sleep(1_000);
  }
  return false;
}
