import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/** What is read of a package.json. */
export type Manifest = {
  name: string;
  version: string;
  license?: unknown;
  licenses?: unknown;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};

/**
 * The packages of others that the applications and packages of a workspace need to run, their own needs included, as
 * they are installed; what only development needs is left out. Throws when one is missing that is not optional.
 */
export function shippedPackages(root: string): Manifest[] {
  const found = new Map<string, Manifest>();
  const visit = (directory: string) => {
    if (found.has(directory)) return;
    const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Manifest;
    found.set(directory, manifest);
    for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
      const installed = installedAt(directory, name);
      if (installed) visit(installed);
      else if (!manifest.optionalDependencies?.[name]) throw new Error(`${name} is not installed for ${manifest.name}`);
    }
  };
  for (const group of ["apps", "packages"]) {
    for (const name of readdirSync(join(root, group))) {
      if (name !== "testing" && existsSync(join(root, group, name, "package.json"))) visit(join(root, group, name));
    }
  }
  return [...found].flatMap(([directory, manifest]) => (directory.includes("node_modules") ? [manifest] : []));
}

/** Where Node finds a package from a directory, links followed. */
function installedAt(directory: string, name: string): string | undefined {
  for (let at = directory; at !== dirname(at); at = dirname(at)) {
    const candidate = join(at, "node_modules", name);
    if (existsSync(join(candidate, "package.json"))) return realpathSync(candidate);
  }
  return undefined;
}
