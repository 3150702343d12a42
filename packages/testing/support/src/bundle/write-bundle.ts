import { cp, mkdir, readdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type BundledApp, type BundleFile, contentOf } from "./bundle-files.ts";
import { repository, resolveFrom } from "./repository.ts";

/** The directory of the migrations. */
export const migrations = join(repository, "packages/database/migrations");
/** The view of a program that reads videos of strangers (packages/media/src/ffmpeg/isolation.ts). */
export const view = join(repository, "packages/media/src/ffmpeg/view.fstab");

/**
 * Writes a bundle into an empty directory, with the files that the code reads at run time by a path relative to its own:
 * migrations for the operator's commands, the pages of the reference for the API, and the view of a confined program for the worker.
 */
export async function writeBundle(files: readonly BundleFile[], directory: string): Promise<void> {
  await mkdir(join(directory, "dist"), { recursive: true });
  await Promise.all(files.map((file) => writeFile(join(directory, file.fileName), contentOf(file))));
  await writeFile(join(directory, "package.json"), '{ "type": "module" }\n');
  const has = (app: BundledApp) => files.some(({ fileName }) => fileName === `dist/main-${app}.js`);
  if (has("admin")) await cp(migrations, join(directory, "migrations"), { recursive: true });
  if (has("worker")) await cp(view, join(directory, "dist", basename(view)));
  if (has("api")) await writeReference(directory);
}

async function writeReference(directory: string): Promise<void> {
  const page = join(repository, "apps/api/src/reference");
  for (const name of (await readdir(page)).filter((name) => /^(?:page|guide)\.(?:html|css|js)$/.test(name))) {
    await cp(join(page, name), join(directory, "dist", name));
  }
  // Of this package, only what the reference loads.
  const renderer = dirname(resolveFrom("apps/api", "swagger-ui-dist/package.json"));
  const copy = join(directory, "node_modules", "swagger-ui-dist");
  await mkdir(copy, { recursive: true });
  for (const name of ["package.json", "swagger-ui.css", "swagger-ui-bundle.js"]) {
    await cp(join(renderer, name), join(copy, name));
  }
}
