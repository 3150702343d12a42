import { importsOf, isNotShipped, packageOf, type SourceFile, targetOf } from "./source-file.ts";

// Which packages a package may import; the direction is always towards `contract`. Apps may import any but `testing`.
const packagesBelow: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  sdk: [],
  runtime: ["contract"],
  schema: ["contract", "runtime"],
  media: ["contract", "runtime"],
  database: ["contract", "runtime"],
  queue: ["contract", "runtime"],
  storage: ["contract", "runtime"],
  analysis: ["contract", "runtime", "schema"],
};

// The packages that do not ship, and whether tests of a product package may import them.
const testingPackages: Readonly<Record<string, { usedByProductTests: boolean }>> = {
  testing: { usedByProductTests: true },
  stack: { usedByProductTests: true },
  emulator: { usedByProductTests: false },
  "end-to-end": { usedByProductTests: false },
  chaos: { usedByProductTests: false },
  bench: { usedByProductTests: false },
  quality: { usedByProductTests: false },
  engines: { usedByProductTests: false },
};

// Libraries that only one package may import.
const keptIn: Readonly<Record<string, string>> = {
  bullmq: "packages/queue",
  "bullmq-otel": "packages/queue",
  ioredis: "packages/queue",
  "fluent-ffmpeg": "packages/media",
  "@google/generative-ai": "packages/analysis",
};

const namelessFolders = new Set(["utils", "util", "helpers", "helper", "common", "services", "misc", "lib", "shared"]);
const maxLines = 400;

const codeRules: readonly { pattern: RegExp; breach: string }[] = [
  { pattern: /^(?:export )?let\s/m, breach: "keeps mutable state in a module; create it in a function" },
  { pattern: /\bParameters<\s*typeof\s+\w+\s*>/, breach: "derives a type with Parameters<typeof …>; name the type" },
];

/** Returns the violations of the rules for imports, code and files, one line each: `<path>: <what>`. */
export function breaches(files: readonly SourceFile[]): string[] {
  const shipped = files.filter(({ path }) => !isNotShipped(path));
  return [
    ...files.flatMap((file) => breachesOf(file, isNotShipped(file.path))),
    ...secondImporters(shipped, "@google/generative-ai"),
  ];
}

function breachesOf(file: SourceFile, isTest: boolean): string[] {
  const { path, text } = file;
  const found = [
    ...importsOf(file).flatMap((imported) => importBreach(path, imported, isTest)),
    ...path
      .split("/")
      .flatMap((folder) => (namelessFolders.has(folder) ? [`the folder "${folder}" names nothing`] : [])),
  ];
  if (!isTest) found.push(...codeRules.filter(({ pattern }) => pattern.test(text)).map(({ breach }) => breach));
  if (/\bprocess\.env\b/.test(text) && !isTest && !mayReadEnvironment(path)) found.push("reads process.env");
  const lines = text.trimEnd().split("\n").length;
  if (lines > maxLines && !isTest) found.push(`has ${lines} lines, more than ${maxLines}`);
  return found.map((breach) => `${path}: ${breach}`);
}

function importBreach(path: string, imported: string, isTest: boolean): string[] {
  const package_ = packageOf(path);
  if (imported.startsWith(".")) {
    const target = targetOf(path, imported);
    if (packageOf(target) !== package_) return [`reaches into ${packageOf(target)} by a path`];
    return isNotShipped(target) && !isTest ? [`imports ${imported}, which does not ship`] : [];
  }
  const library = libraryOf(imported);
  const [scope, name = ""] = library.split("/");
  if (scope === "@video-to-json") return mayImport(package_, name, isTest) ? [] : [`may not import ${name}`];
  const home = keptIn[library];
  return home && home !== package_ ? [`may not import ${library}, which is ${home}'s`] : [];
}

function mayImport(package_: string, name: string, isTest: boolean): boolean {
  const isPackage = name in packagesBelow;
  const isTesting = package_.startsWith("packages/testing/");
  const testing = testingPackages[name];
  if (testing) return isTesting || (isTest && testing.usedByProductTests);
  // The dashboard talks to the API, so it shares only the shapes with our packages.
  if (package_ === "apps/dashboard") return name === "contract";
  if (!package_.startsWith("packages/") || isTesting) return isPackage;
  const self = package_.slice("packages/".length);
  return packagesBelow[self]?.includes(name) ?? false;
}

function libraryOf(imported: string): string {
  return imported
    .split("/")
    .slice(0, imported.startsWith("@") ? 2 : 1)
    .join("/");
}

// The samples in this file are text for callers.
const codeSamples = "apps/api/src/openapi/code-samples.ts";

function mayReadEnvironment(path: string): boolean {
  return (
    path === codeSamples || packageOf(path).startsWith("packages/testing/") || /\/src\/(config|main)\.ts$/.test(path)
  );
}

// This library is no longer maintained. With a single importer, only one file changes when it is replaced.
function secondImporters(files: readonly SourceFile[], library: string): string[] {
  const importers = files.filter((file) => importsOf(file).includes(library));
  return importers.slice(1).map(({ path }) => `${path}: imports ${library}, as ${importers[0]?.path} does already`);
}
