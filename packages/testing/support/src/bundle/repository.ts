import { createRequire } from "node:module";
import { join } from "node:path";

/** The root of the repository. */
export const repository = join(import.meta.dirname, "../../../../..");

/** Returns the file that Node finds for `name` from a folder of the repository. */
export function resolveFrom(folder: string, name: string): string {
  return createRequire(join(repository, folder, "package.json")).resolve(name);
}
