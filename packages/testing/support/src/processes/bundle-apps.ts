import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { cp, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type OutputAsset, type OutputChunk, rolldown } from "rolldown";
import { repositoryRoot } from "../repository-root.ts";

const apps = ["api", "worker", "cli", "gemini-emulator"] as const;
const migrations = join(repositoryRoot, "packages/database/migrations");
const maxAgeMs = 24 * 60 * 60 * 1000;

/**
 * Bundles the apps, so that a test starts a process in a quarter of the CPU time. A bundle with the same content is
 * reused: its directory is named by its hash, which also keeps Node's compile cache valid.
 * Returns the directory; `mainOf` finds an app in it.
 */
export async function bundleApps(): Promise<string> {
  const output = await build();
  const hash = createHash("sha256");
  for (const file of output) hash.update(file.fileName).update(contentOf(file));
  for (const name of readdirSync(migrations).filter((name) => name.endsWith(".sql"))) {
    hash.update(name).update(readFileSync(join(migrations, name)));
  }
  const parent = join(repositoryRoot, ".local", "bundles");
  const directory = join(parent, hash.digest("hex").slice(0, 16));
  mkdirSync(parent, { recursive: true });
  removeOld(parent, directory);
  if (existsSync(directory)) return directory;
  const temporary = mkdtempSync(join(parent, "new-"));
  await writeBundle(output, temporary);
  try {
    renameSync(temporary, directory);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    // Another run has written the same bundle.
    if (!existsSync(directory)) throw error;
  }
  return directory;
}

type OutputFile = OutputChunk | OutputAsset;

async function build(): Promise<OutputFile[]> {
  const bundle = await rolldown({
    cwd: repositoryRoot,
    input: {
      ...Object.fromEntries(apps.map((app) => [`main-${app}`, join("apps", app, "src", "main.ts")])),
      // The schema sandbox starts these two files as threads. It looks for them beside its own file.
      "sandbox-thread": "packages/schema-input/src/sandbox/sandbox-thread.ts",
      worker: join(dirname(resolveFrom("packages/schema-input", "piscina")), "worker.js"),
      // The thread of storage, likewise.
      "hash-thread": "packages/storage/src/copy/hashing/hash-thread.ts",
    },
    platform: "node",
    // An optional native module of piscina.
    external: ["@napi-rs/nice"],
    transform: { target: "node24", define: { __dirname: "import.meta.dirname" } },
    logLevel: "silent",
  });
  const { output } = await bundle.generate({
    format: "esm",
    entryFileNames: "dist/[name].js",
    chunkFileNames: "dist/[name]-[hash].js",
  });
  await bundle.close();
  return output;
}

async function writeBundle(output: readonly OutputFile[], directory: string): Promise<void> {
  mkdirSync(join(directory, "dist"));
  await Promise.all(output.map((file) => writeFile(join(directory, file.fileName), contentOf(file))));
  await writeFile(join(directory, "package.json"), '{ "type": "module" }\n');
  // The sources read these files by a path relative to their own.
  await cp(migrations, join(directory, "migrations"), { recursive: true });
  const page = join(repositoryRoot, "apps/api/src/reference");
  for (const name of readdirSync(page).filter((name) => /^(?:page|guide)\.(?:html|css|js)$/.test(name))) {
    await cp(join(page, name), join(directory, "dist", name));
  }
  mkdirSync(join(directory, "node_modules"));
  const swaggerUi = dirname(resolveFrom("apps/api", "swagger-ui-dist/package.json"));
  symlinkSync(swaggerUi, join(directory, "node_modules", "swagger-ui-dist"));
}

function resolveFrom(folder: string, name: string): string {
  return createRequire(join(repositoryRoot, folder, "package.json")).resolve(name);
}

function contentOf(file: OutputFile): string | Uint8Array {
  return file.type === "chunk" ? file.code : file.source;
}

// Another run may still start processes from a recent one.
function removeOld(parent: string, current: string): void {
  for (const name of readdirSync(parent)) {
    const path = join(parent, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (path !== current && age > maxAgeMs) rmSync(path, { recursive: true, force: true });
  }
}
