import { existsSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { type BundledApp, bundleFiles, entryFiles, repository, writeBundle } from "./bundle-files.ts";

// Writes the bundle of one process, as its image contains it: `node packages/testing/support/src/bundle/main.ts <app> <directory>`.
const apps = Object.keys(entryFiles) as BundledApp[];
const app = apps.find((name) => name === process.argv[2]);
const directory = process.argv[3];
if (!app || !directory) {
  process.stderr.write(`Give one of ${apps.join(", ")}, and a directory.\n`);
  process.exit(2);
}
await writeBundle(await bundleFiles([app]), directory);
if (app === "api") {
  // What the API serves besides its own files: the dashboard's built page, the documents for callers, and the clients.
  await cp(join(repository, "apps/dashboard/dist"), join(directory, "dashboard"), { recursive: true });
  const clients = join(repository, ".local/clients");
  if (existsSync(clients)) await cp(clients, join(directory, "clients"), { recursive: true });
  for (const path of ["docs", "packages/sdk/README.md", "packages/sdk-python/README.md"]) {
    await cp(join(repository, path), join(directory, path), {
      recursive: true,
      filter: (file) => !file.endsWith("/docs/images"),
    });
  }
}
