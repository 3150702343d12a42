import { importsOf, roomOf, type SourceFile, targetOf, testFiles } from "./source-file.ts";

// Which packages a package may import; the direction is always towards `contract`. Apps may import any but `testing`.
const packagesBelow: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  telemetry: [],
  testing: [],
  sdk: [],
  settings: ["contract"],
  "schema-input": ["contract"],
  media: ["contract"],
  database: ["contract"],
  queue: ["contract"],
  storage: ["contract"],
  analysis: ["contract", "schema-input"],
  ledger: ["contract", "database"],
};

// What a package's tests may import besides: the SDK's types are held against the description they are made from.
const besidesInTests: Readonly<Record<string, readonly string[]>> = { sdk: ["contract"] };

// Libraries that stay behind one room's door.
const keptIn: Readonly<Record<string, string>> = {
  bullmq: "packages/queue",
  ioredis: "packages/queue",
  "fluent-ffmpeg": "packages/media",
  "@google/generative-ai": "packages/analysis",
};

const namelessFolders = new Set(["utils", "util", "helpers", "helper", "common", "services", "misc", "lib", "shared"]);
const mostLines = 400;

/** What the files break of the rules of the house, one line a breach: `<path>: <what>`. */
export function breaches(files: readonly SourceFile[]): string[] {
  const forTests = testFiles(files);
  const shipped = files.filter(({ path }) => !forTests.has(path));
  return [
    ...files.flatMap((file) => breachesOf(file, forTests.has(file.path))),
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
  if (/\bprocess\.env\b/.test(text) && !isTest && !mayReadEnvironment(path)) found.push("reads process.env");
  const lines = text.trimEnd().split("\n").length;
  if (lines > mostLines && !isTest) found.push(`has ${lines} lines, more than ${mostLines}`);
  return found.map((breach) => `${path}: ${breach}`);
}

function importBreach(path: string, imported: string, isTest: boolean): string[] {
  const room = roomOf(path);
  if (imported.startsWith(".")) {
    const target = roomOf(targetOf(path, imported));
    return target === room ? [] : [`reaches into ${target} by a path`];
  }
  const library = libraryOf(imported);
  const [scope, name = ""] = library.split("/");
  if (scope === "@video-to-json") return mayImport(room, name, isTest) ? [] : [`may not import ${name}`];
  const home = keptIn[library];
  return home && home !== room ? [`may not import ${library}, which is ${home}'s`] : [];
}

function mayImport(room: string, name: string, isTest: boolean): boolean {
  const isPackage = name in packagesBelow;
  if (name === "testing") return room === "scripts" || (room !== "packages/testing" && isTest);
  if (!room.startsWith("packages/")) return isPackage;
  const self = room.slice("packages/".length);
  return (packagesBelow[self]?.includes(name) || (isTest && besidesInTests[self]?.includes(name))) ?? false;
}

function libraryOf(imported: string): string {
  return imported
    .split("/")
    .slice(0, imported.startsWith("@") ? 2 : 1)
    .join("/");
}

function mayReadEnvironment(path: string): boolean {
  const room = roomOf(path);
  return room === "scripts" || room === "packages/testing" || /\/src\/(config|main)\.ts$/.test(path);
}

// Support for this library has ended: one file is all that has to change when it goes.
function secondImporters(files: readonly SourceFile[], library: string): string[] {
  const importers = files.filter((file) => importsOf(file).includes(library));
  return importers.slice(1).map(({ path }) => `${path}: imports ${library}, as ${importers[0]?.path} does already`);
}
