import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { page } from "./guides.ts";

// An image has the packages beside its `dist`. `scripts/pack-clients` writes them into the repository.
const folders = [join(import.meta.dirname, "../clients"), join(import.meta.dirname, "../../../../.local/clients")];
const kept = new Map<string, Buffer>();

/** Returns the folder of this service's packages. It may be missing: `scripts/pack-clients` may run while the service runs. */
export const packagesFolder = () => folders.find((path) => existsSync(path));

async function packageNames(folder: string | undefined): Promise<string[]> {
  const names = folder === undefined ? [] : await readdir(folder);
  return names.filter((name) => /\.(?:tgz|whl|tar\.gz)$/.test(name)).sort();
}

/**
 * Returns a package of a client that matches this service, or undefined if no package has this name. Each is read once:
 * a slow download then costs no open file.
 */
export async function readPackage(folder: string | undefined, name: string): Promise<Buffer | undefined> {
  // Only a name from the folder itself becomes part of a path.
  if (folder === undefined || !(await packageNames(folder)).includes(name)) return undefined;
  const path = join(folder, name);
  const content = kept.get(path) ?? (await readFile(path));
  kept.set(path, content);
  return content;
}

/** Returns the page that lists the packages, each with its SHA-256. `pip --find-links` reads it too. */
export async function packagesPage(folder: string | undefined, hasDashboard: boolean): Promise<string> {
  const rows = await Promise.all(
    (await packageNames(folder)).map(async (name) => {
      const sum = createHash("sha256")
        .update((await readPackage(folder, name)) ?? "")
        .digest("hex");
      return `<tr><td><a href="${name}">${name}</a></td><td><code>${sum}</code></td></tr>\n`;
    }),
  );
  const table = `<table><thead><tr><th>package</th><th>SHA-256</th></tr></thead><tbody>\n${rows.join("")}</tbody></table>\n`;
  const body = `<h1>Packages</h1>
<p>The clients that match this service. The <a href="../guides/quickstart.md">quickstart</a> installs them from here.</p>
${rows.length > 0 ? table : "<p>This service has none. Its operator can pack them with <code>scripts/pack-clients</code>.</p>\n"}`;
  return page({ title: "Packages: Video-to-JSON", up: "../", body, hasDashboard });
}
