import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "rolldown";

/**
 * Adds `licences.md` to a bundle: the licence of each library whose code the bundle contains. Most licences demand
 * that a program with this code also contains their text.
 *
 * @param copied the paths of files of libraries that the caller copies beside the bundle.
 */
export function licences(copied: readonly string[] = []): Plugin {
  return {
    name: "licences",
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
      const ofLibraries = [...modules, ...copied].filter((path) => path.includes("/node_modules/"));
      const texts = new Set(ofLibraries.map(libraryOf).map(licenceOf));
      const source = `# Licences of the libraries in this program\n\n${[...texts].sort().join("\n")}`;
      this.emitFile({ type: "asset", fileName: "licences.md", source });
    },
  };
}

/** Returns the directory of the library that a file belongs to. A folder inside a library may have a manifest without a version. */
function libraryOf(path: string): string {
  const directory = dirname(path);
  const manifest = join(directory, "package.json");
  const isLibrary = existsSync(manifest) && "version" in JSON.parse(readFileSync(manifest, "utf8"));
  return isLibrary ? directory : libraryOf(directory);
}

function licenceOf(directory: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
  const files = readdirSync(directory).filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file));
  const texts = files.sort().map((file) => readFileSync(join(directory, file), "utf8").trim());
  return [`## ${name} ${version} (${license})`, ...texts].map((part) => `${part}\n`).join("\n");
}
