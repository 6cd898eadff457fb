/** What a fetch costs above plain undici plus extraction, on a store that has many artifacts already. */
import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const TURNS = 3;
const ROUNDS = 100;

/** CPU milliseconds per fetch of a 200 KB page above undici and extraction, with the code below this root. */
export async function measureFetchOverhead(root: string, home: string): Promise<number> {
  const server = fork(join(import.meta.dirname, "fetch-server.ts"));
  const [port] = (await once(server, "message")) as [number];
  const cpuMs = (method: string, turn: number): number => {
    const args = [
      join(root, "bench", "fetch-page.ts"),
      method,
      `http://127.0.0.1:${port}`,
      home,
      `${ROUNDS}`,
      `${turn}`,
    ];
    return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }))
      .cpuMs;
  };
  try {
    const above = Array.from({ length: TURNS }, (_, turn) => cpuMs("ours", turn) - cpuMs("extracted", turn));
    return above.toSorted((a, b) => a - b)[1] ?? Number.NaN;
  } finally {
    server.disconnect();
  }
}
