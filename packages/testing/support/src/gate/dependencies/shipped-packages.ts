import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/** The parts of a package.json that the checks use. */
export type Manifest = {
  name: string;
  version: string;
  license?: unknown;
  licenses?: unknown;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};

/**
 * Returns the installed third-party packages that the apps and packages of a workspace need at run time, transitive ones
 * included, development dependencies excluded. Throws when a package is missing that is not optional.
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

/** Returns the real directory in which Node finds a package from another directory. */
function installedAt(directory: string, name: string): string | undefined {
  for (let at = directory; at !== dirname(at); at = dirname(at)) {
    const candidate = join(at, "node_modules", name);
    if (existsSync(join(candidate, "package.json"))) return realpathSync(candidate);
  }
  return undefined;
}
