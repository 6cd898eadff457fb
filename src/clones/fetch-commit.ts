/** Fetches one commit of a repository with git: the one step of a clone that uses the network. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { waitByClock } from "../acquire/http/wait-by-clock.ts";
import { makeSlowError, makeTooLargeError, toCloneError } from "./clone-errors.ts";
import type { CloneContext, CloneTarget } from "./clone-target.ts";
import { runGit } from "./git.ts";

/** Larger files are not fetched. */
export const MAX_FILE_BYTES = 5 * 1024 * 1024;
const WATCH_INTERVAL_MS = 250;
const MAX_FETCH_MS = 10 * 60 * 1_000;

/**
 * Fetches through a proxy behind the guard, which passes on no more than a clone may hold. The size of the folder is
 * watched too: the proxy may be one of the environment.
 */
export async function fetchCommit(
  folder: string,
  { url, ref, authorization }: CloneTarget,
  context: CloneContext,
): Promise<void> {
  await using proxy = await context.network.openProxy(url, { maxBytes: context.maxBytes });
  const tooLarge = new AbortController();
  const deadline = AbortSignal.timeout(MAX_FETCH_MS);
  const signal = AbortSignal.any([context.signal, tooLarge.signal, deadline]);
  const config = {
    "http.proxy": proxy.url,
    // Git would send the token to whatever host a redirect names.
    "http.followRedirects": proxy.isGuarded && authorization === undefined ? "initial" : "false",
    "remote.origin.url": url.href,
    "remote.origin.promisor": "true",
    "remote.origin.partialCloneFilter": `blob:limit=${MAX_FILE_BYTES}`,
    ...(authorization === undefined ? {} : { [`http.${url.origin}/.extraHeader`]: `Authorization: ${authorization}` }),
  };
  const protocol = url.protocol === "http:" ? "http" : "https";
  const args = [
    ...["fetch", "--quiet", "--depth=1", "--no-tags", `--filter=blob:limit=${MAX_FILE_BYTES}`],
    ...["--", "origin", ref ?? "HEAD"],
  ];
  const isTooLarge = async () => proxy.isOverLimit() || (await sumFiles(join(folder, ".git"))) > context.maxBytes;
  const watching = watchSize(isTooLarge, tooLarge, signal);
  try {
    await runGit(args, { folder, path: context.env.PATH, signal, config, protocol });
  } catch (error) {
    context.signal.throwIfAborted();
    if (tooLarge.signal.aborted || proxy.isOverLimit()) throw makeTooLargeError(context.maxBytes);
    if (deadline.aborted) throw makeSlowError(url);
    throw proxy.refusal() ?? toCloneError(error, url, ref);
  } finally {
    tooLarge.abort();
    await watching;
  }
}

/** Git would wait for a connection that the proxy has closed, so it is ended. */
async function watchSize(
  isTooLarge: () => Promise<boolean>,
  tooLarge: AbortController,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    if (await isTooLarge()) return tooLarge.abort();
    await waitByClock(WATCH_INTERVAL_MS, signal).catch(() => undefined);
  }
}

async function sumFiles(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
