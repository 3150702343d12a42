// What is published has other entries than what the workspace runs: pnpm puts those of publishConfig in their place by
// itself, and nobody else does. `publish` does it before the package is packed, `restore` takes it back afterwards.
import { copyFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";

const kept = "dist/workspace-package.json";

if (process.argv[2] === "publish") {
  copyFileSync("package.json", kept);
  const { publishConfig, ...manifest } = JSON.parse(readFileSync("package.json", "utf8"));
  writeFileSync("package.json", `${JSON.stringify({ ...manifest, ...publishConfig }, null, 2)}\n`);
} else {
  renameSync(kept, "package.json");
}
