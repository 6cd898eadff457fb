#!/usr/bin/env node
/** The entry of the installed command: on an old Node it prints one clear sentence instead of a syntax error. */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > 22 || (major === 22 && minor >= 13)) {
  void import("./process.ts");
} else {
  process.stderr.write(
    `spillway needs Node 22.13 or newer; this is Node ${process.versions.node}.\n  Install a newer one from https://nodejs.org or with your version manager, then run it again.\n`,
  );
  process.exitCode = 1;
}

export {};
