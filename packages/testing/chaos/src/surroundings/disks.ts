import { execFile } from "node:child_process";
import { appendFileSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/** A use of files that has a small disk of its own. */
export type DiskUse = "storage" | "scratch" | "log";

const megabytes = 64;
const run = promisify(execFile);

/** Mounts small disks. Needs root, and a private mount namespace, so that none stays if we are killed. */
export async function openDisks(dataDir: string, logNames: readonly string[]) {
  const pathOf = (use: DiskUse) => join(dataDir, "disks", use);
  const mounted: string[] = [];
  const mount = async (use: DiskUse) => {
    const path = pathOf(use);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    await run("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0700`, "tmpfs", path]);
    mounted.push(path);
    return path;
  };
  async function close(): Promise<void> {
    for (const path of mounted.splice(0)) {
      // A watcher of a process that has just ended may still use it.
      await run("umount", ["--lazy", path]);
      rmSync(path, { recursive: true, force: true });
    }
  }
  try {
    for (const use of ["storage", "scratch"] as const) {
      const files = join(await mount(use), "files");
      mkdirSync(files, { mode: 0o700 });
      symlinkSync(files, join(dataDir, use));
    }
    const logs = await mount("log");
    mkdirSync(join(dataDir, "logs"), { recursive: true, mode: 0o700 });
    for (const name of logNames) symlinkSync(join(logs, `${name}.log`), join(dataDir, "logs", `${name}.log`));
  } catch (error) {
    await close();
    throw error;
  }
  return { fill: (use: DiskUse) => fillDisk(pathOf(use)), close };
}

export type Disks = Awaited<ReturnType<typeof openDisks>>;

const everyMs = 50;

/** Fills a disk and keeps it full, even if files on it are deleted, until the returned function is called. */
function fillDisk(directory: string): () => Promise<void> {
  const path = join(directory, "filler");
  const more = Buffer.alloc(megabytes * 1024 * 1024);
  const fill = () => {
    try {
      appendFileSync(path, more);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
  };
  fill();
  const filling = setInterval(fill, everyMs);
  return async () => {
    clearInterval(filling);
    rmSync(path, { force: true });
  };
}
