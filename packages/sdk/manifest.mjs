// Prepares the manifest for packing. `publish` is for npm, which ignores `publishConfig` and the license of the workspace;
// pnpm applies both by itself. `strip` is for pnpm: nobody can install the development dependencies, because some are
// private. `restore` runs after packing.
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

const savedManifest = "dist/workspace-package.json";

if (process.argv[2] === "restore") {
  renameSync(savedManifest, "package.json");
  if (existsSync("LICENSE")) rmSync("LICENSE");
} else {
  copyFileSync("package.json", savedManifest);
  const { publishConfig, devDependencies: _private, ...manifest } = JSON.parse(readFileSync("package.json", "utf8"));
  if (process.argv[2] === "publish") {
    copyFileSync("../../LICENSE", "LICENSE");
    write({ ...manifest, ...publishConfig });
  } else {
    write({ ...manifest, publishConfig });
  }
}

/** Writes the manifest at once: another process may read it at any moment. */
function write(manifest) {
  writeFileSync("dist/new-package.json", `${JSON.stringify(manifest, null, 2)}\n`);
  renameSync("dist/new-package.json", "package.json");
}
