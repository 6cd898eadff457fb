/** A real file system of a few megabytes, for tests of full and read-only disks. Mounting needs root and Linux. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type SmallDisk = Disposable & {
  readonly path: string;
  /** Takes space until so many bytes are left. */
  fill(leftBytes?: number): void;
  /** Gives back the space that `fill` took. */
  free(): void;
  makeReadOnly(): void;
};

/** Why no disk can be mounted here; undefined where it can. */
export function whyNotMounted(): string | undefined {
  if (process.platform !== "linux") return "mounting a small disk needs Linux";
  if (process.getuid?.() !== 0) return "mounting a small disk needs root";
  try {
    using _disk = mountSmallDisk();
    return undefined;
  } catch {
    return "mounting a small disk is refused here";
  }
}

/** Mounts an empty disk of so many bytes. */
export function mountSmallDisk(sizeBytes = 4 * 1024 * 1024): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), "spillway-disk-"));
  mount("-t", "tmpfs", "-o", `size=${sizeBytes},mode=0700`, "spillway-test", path);
  const filler = join(path, "filler");
  return {
    path,
    fill(leftBytes = 0) {
      const { bavail, bsize } = statfsSync(path);
      writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - leftBytes)));
    },
    free: () => rmSync(filler, { force: true }),
    makeReadOnly: () => mount("-o", "remount,ro", path),
    [Symbol.dispose]() {
      spawnSync("umount", ["--lazy", path]);
      rmdirSync(path);
    },
  };
}

function mount(...args: readonly string[]): void {
  const { status, stderr, error } = spawnSync("mount", args, { encoding: "utf8" });
  if (error) throw error;
  if (status !== 0) throw new Error(stderr);
}
