import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

/**
 * Installs Bun in a directory, from the package registry. Its package has 100 MB, so only the tests of `--all` take it.
 *
 * @returns the directory of the program `bun`, or undefined where no registry answers
 */
export async function installBun(directory: string): Promise<string | undefined> {
  const install = ["install", "--silent", "--no-audit", "--no-fund", "--prefix", directory, "bun@1.4.5"];
  const isInstalled = await promisify(execFile)("npm", install).then(
    () => true,
    () => false,
  );
  return isInstalled ? join(directory, "node_modules/.bin") : undefined;
}
