import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { licences } from "@video-to-json/testing/licences";
import { defineConfig, type Plugin } from "rolldown";

const fromHere = createRequire(import.meta.url);
const schemaInput = dirname(fromHere.resolve("@video-to-json/schema"));
const piscina = dirname(createRequire(join(schemaInput, "index.ts")).resolve("piscina"));
const { version, description, license } = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8"));

/** Adds what a package needs besides code: manifest, license, documentation and change log. */
const packageFiles: Plugin = {
  name: "package-files",
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
    emit("LICENSE", readFileSync(join(import.meta.dirname, "../../LICENSE")));
    emit("CHANGELOG.md", readFileSync(join(import.meta.dirname, "CHANGELOG.md")));
  },
};

/** Writes a complete package to `build/`: install it with `npm install -g ./build`, or pack it with `npm pack ./build`. */
export default defineConfig({
  cwd: import.meta.dirname,
  input: {
    main: "src/main.ts",
    // The schema sandbox starts these as threads, by the name of a file beside its own.
    "sandbox-thread": join(schemaInput, "sandbox", "sandbox-thread.ts"),
    worker: join(piscina, "worker.js"),
  },
  platform: "node",
  // A native module that piscina uses where it is installed. The bundler cannot bundle it.
  external: ["@napi-rs/nice"],
  // No file of this repository does anything when it is imported, so unused files are dropped.
  treeshake: { moduleSideEffects: [{ test: /[\\/]packages[\\/][^\\/]+[\\/]src[\\/]/, sideEffects: false }] },
  transform: { target: "node20.12", define: { __dirname: "import.meta.dirname" } },
  plugins: [packageFiles, licences()],
  output: {
    dir: "build",
    format: "esm",
    cleanDir: true,
    entryFileNames: "dist/[name].js",
    chunkFileNames: "dist/[name]-[hash].js",
  },
});
