import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

/** Other runtimes than Node, as their makers publish them. */
const runtimes = { bun: "bun@1.4.5", deno: "deno@2.9.6", workerd: "workerd@1.20261117.1" } as const;

/**
 * Installs another runtime in a directory, from the package registry. Each has about 100 MB, so only the tests of `--all`
 * take them.
 *
 * @returns the path of its program, or undefined where no registry answers
 */
export async function installRuntime(directory: string, name: keyof typeof runtimes): Promise<string | undefined> {
  const install = ["install", "--silent", "--no-audit", "--no-fund", "--prefix", directory, runtimes[name]];
  const isInstalled = await promisify(execFile)("npm", install).then(
    () => true,
    () => false,
  );
  return isInstalled ? join(directory, "node_modules/.bin", name) : undefined;
}
