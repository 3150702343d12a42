import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { defineConfig, type Plugin } from "rolldown";

const fromHere = createRequire(import.meta.url);
const schemaInput = dirname(fromHere.resolve("@video-to-json/schema-input"));
const piscina = dirname(createRequire(join(schemaInput, "index.ts")).resolve("piscina"));
const migrations = join(dirname(fromHere.resolve("@video-to-json/database")), "..", "migrations");
const { version, description, license } = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8"));

/** What makes a package of a bundle: its manifest, its documentation, and the files that it reads. */
const packaged: Plugin = {
  name: "packaged",
  generateBundle() {
    const manifest = {
      name: "@video-to-json/cli",
      version,
      description,
      license,
      type: "module",
      engines: { node: ">=20.12" },
      bin: { "video-to-json": "dist/main.js" },
    };
    const emit = (fileName: string, source: string | Uint8Array) => this.emitFile({ type: "asset", fileName, source });
    emit("package.json", `${JSON.stringify(manifest, null, 2)}\n`);
    emit("README.md", readFileSync(join(import.meta.dirname, "../../docs/cli.md")));
    for (const entry of readdirSync(migrations, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) emit(join("migrations", relative(migrations, path)), readFileSync(path));
    }
  },
};

/** `build/` is a package as it is: `npm install -g ./build`, or `npm pack ./build` for others. */
export default defineConfig({
  cwd: import.meta.dirname,
  input: {
    main: "src/main.ts",
    // Threads are started by their file's name, beside the file that starts them.
    "sandbox-thread": join(schemaInput, "sandbox", "sandbox-thread.ts"),
    worker: join(piscina, "worker.js"),
  },
  platform: "node",
  // Sets a thread's priority where it is installed; machine code, which cannot be bundled, and done without.
  external: ["@napi-rs/nice"],
  // Importing a file of ours does nothing, so what is not used of it is left out.
  treeshake: { moduleSideEffects: [{ test: /[\\/]packages[\\/][^\\/]+[\\/]src[\\/]/, sideEffects: false }] },
  transform: { target: "node20.12", define: { __dirname: "import.meta.dirname" } },
  plugins: [packaged],
  output: {
    dir: "build",
    format: "esm",
    cleanDir: true,
    entryFileNames: "dist/[name].js",
    chunkFileNames: "dist/[name]-[hash].js",
  },
});
