import { dirname, join } from "node:path";
import { type OutputAsset, type OutputChunk, rolldown } from "rolldown";
import { repository, resolveFrom } from "./repository.ts";

/** The file that starts each process, from the root of the repository. */
export const entryFiles = {
  api: "apps/api/src/main.ts",
  worker: "apps/worker/src/main.ts",
  cli: "apps/cli/src/main.ts",
  admin: "apps/admin/src/main.ts",
  emulator: "packages/testing/emulator/src/main.ts",
} as const;

/** A process that can be bundled. */
export type BundledApp = keyof typeof entryFiles;

/** One file of a bundle: its path is `fileName`. */
export type BundleFile = OutputChunk | OutputAsset;

/**
 * Bundles processes with everything that they import: `dist/main-<app>.js` for each, the threads that they start, and the
 * parts that they share.
 *
 * @returns the files, in memory. `writeBundle` writes them with what the code reads at run time.
 */
export async function bundleFiles(apps: readonly BundledApp[]): Promise<BundleFile[]> {
  const bundle = await rolldown({
    cwd: repository,
    input: {
      ...Object.fromEntries(apps.map((app) => [`main-${app}`, entryFiles[app]])),
      // The schema sandbox starts one of these two files as threads, with the third. It looks for them beside its own file.
      "checks-thread": "packages/analysis/src/checks/checks-thread.ts",
      "sandbox-thread": "packages/schema/src/sandbox/sandbox-thread.ts",
      worker: join(dirname(resolveFrom("packages/schema", "piscina")), "worker.js"),
      // The same for the thread of storage.
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

/** Returns what a file of a bundle contains. */
export function contentOf(file: BundleFile): string | Uint8Array {
  return file.type === "chunk" ? file.code : file.source;
}
