/**
 * Preloaded by `npm run test:quick`: a quick test starts no process and opens no socket. A test that needs one belongs in a
 * file named `*.integration.test.ts`, which `npm test` runs too. Properties are tried on a sample; `npm run soak` has the full
 * counts. At the end it prints the CPU time of all quick tests.
 */
import childProcess from "node:child_process";
import dgram from "node:dgram";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import fc from "fast-check";

const MAX_CPU_SECONDS = 30;
/** How often a property is tried that names no number of its own; elsewhere it is 100 times. */
const PROPERTY_RUNS = 30;
const violations = new Set<string>();

const refuseProcess = refuse("start a process");
const refuseSocket = refuse("open a socket");

// spawn, exec, execFile and fork all end in this method.
Object.assign(childProcess.ChildProcess.prototype, { spawn: refuseProcess });
Object.assign(childProcess, { spawnSync: refuseProcess, execSync: refuseProcess, execFileSync: refuseProcess });
Object.assign(net.Server.prototype, { listen: refuseSocket });
Object.assign(net.Socket.prototype, { connect: refuseSocket });
Object.assign(dgram.Socket.prototype, { bind: refuseSocket, send: refuseSocket, connect: refuseSocket });
syncBuiltinESMExports();
fc.configureGlobal({ numRuns: PROPERTY_RUNS });

process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  const seconds = (user + system) / 1_000_000;
  process.stderr.write(`Quick tests: ${seconds.toFixed(1)} s of CPU, ${MAX_CPU_SECONDS} are meant to be enough.\n`);
  if (violations.size === 0) return;
  process.stderr.write(`${[...violations].join("\n")}\n`);
  process.exitCode = 1;
});

/** A function that throws, and records the violation because product code may catch what it throws. */
function refuse(what: string): () => never {
  return () => {
    const error = new Error(`A quick test must not ${what}. Rename its file to *.integration.test.ts.`);
    violations.add(error.stack ?? error.message);
    throw error;
  };
}
