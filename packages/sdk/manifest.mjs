// Prepares the package for `npm pack`, which ignores `publishConfig` and the license of the workspace. pnpm applies both
// by itself. `publish` runs before packing, `restore` afterwards.
import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

const savedManifest = "dist/workspace-package.json";

if (process.argv[2] === "publish") {
  copyFileSync("../../LICENSE", "LICENSE");
  copyFileSync("package.json", savedManifest);
  const { publishConfig, ...manifest } = JSON.parse(readFileSync("package.json", "utf8"));
  writeFileSync("package.json", `${JSON.stringify({ ...manifest, ...publishConfig }, null, 2)}\n`);
} else {
  renameSync(savedManifest, "package.json");
  rmSync("LICENSE");
}
