import { execFile } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { compileCache, findCommand, mainOf, repositoryRoot } from "@video-to-json/testing";
import type { Block } from "./blocks.ts";
import type { Setting } from "./settings.ts";

/** The service that a reader uses. `videoUrl` returns the address of a video by its name. */
export type ReaderService = {
  baseUrl: string;
  apiKey: string;
  /** The settings with which the operator's commands run. */
  operator: NodeJS.ProcessEnv;
  video: string;
  videoUrl: (name: string) => string;
  /** A finished job, or an empty text. */
  jobId: string;
};

/** The result of a run: its standard output, or all of its output if it failed. */
type Ended = { code: number; stdout: string; stderr: string };

const packages: Readonly<Record<string, string>> = {
  "video-to-json": "packages/testing/end-to-end",
  "@modelcontextprotocol/client": "packages/testing/end-to-end",
  "@types/node": "packages/testing/end-to-end",
  zod: "packages/sdk",
};
const inspector = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/inspector/clients/launcher/build/index.js",
);

/** Ends only a command that hangs: the demo builds and starts everything, beside other tests. */
export const readerTimeoutMs = 600_000;

/** Opens a reader of one document: a person in a new folder with their own key. `python` has httpx. */
export function openReader(service: ReaderService, setting: Setting, python: string) {
  const directory = mkdtempSync(join(tmpdir(), "v2j-reader-"));
  const programs = join(directory, "node_modules/.bin");
  mkdirSync(programs, { recursive: true });
  const program = (name: string, command: string) => {
    writeFileSync(join(programs, name), `#!/bin/sh\n${command}\n`);
    chmodSync(join(programs, name), 0o755);
  };
  // A failed request must fail its block, and its body contains the reason.
  program("curl", `exec "${findCommand("curl", [])}" --fail-with-body "$@"`);
  program("video-to-json", `exec "${process.execPath}" "${mainOf("cli")}" "$@"`);
  program("video-to-json-admin", `exec "${process.execPath}" "${mainOf("admin")}" "$@"`);
  program("python3", `exec "${python}" "$@"`);
  program("npx", `while [ "$1" != --cli ]; do shift; done\nexec "${process.execPath}" "${inspector}" "$@"`);
  for (const [name, output] of Object.entries(setting.programs ?? {})) program(name, `echo '${output}'`);
  for (const [name, home] of Object.entries(packages)) {
    mkdirSync(dirname(join(directory, "node_modules", name)), { recursive: true });
    symlinkSync(join(repositoryRoot, home, "node_modules", name), join(directory, "node_modules", name));
  }
  for (const name of setting.videos) cpSync(service.video, join(directory, name));
  for (const [name, text] of Object.entries(setting.files ?? {})) writeFileSync(join(directory, name), text);
  if (setting.folder) cpSync(join(repositoryRoot, setting.folder), directory, { recursive: true, filter: isSource });

  const env = {
    ...compileCache(),
    PATH: `${programs}:${process.env.PATH}`,
    HOME: directory,
    LC_ALL: "C.UTF-8",
    PYTHONPATH: join(repositoryRoot, "packages/sdk-python/src"),
    PYTHONDONTWRITEBYTECODE: "1",
    // `./scripts/demo` would use it too, and the demo's workers would take jobs of this service.
    ...(setting.isOperator && service.operator),
    VIDEO_TO_JSON_URL: service.baseUrl,
    VIDEO_TO_JSON_API_KEY: service.apiKey,
  };
  const run = (command: string, args: string[]) =>
    new Promise<Ended>((resolve) => {
      const child = execFile(
        command,
        args,
        { cwd: directory, env, timeout: readerTimeoutMs },
        (error, stdout, stderr) => {
          resolve({ code: error ? (typeof error.code === "number" ? error.code : -1) : 0, stdout, stderr });
        },
      );
      child.stdin?.on("error", () => {});
      // `video-to-json login` reads the key from it. ffmpeg would take a q in it as its stop command.
      child.stdin?.end(args.at(-1)?.includes(" login") ? `${service.apiKey}\n` : "");
    });

  const filledIn = (code: string) =>
    code
      .replaceAll(/https:\/\/(?:media\.)?example\.com\/([\w-]+)\.mp4/g, (_all, name: string) => service.videoUrl(name))
      .replaceAll(/https:\/\/api\.example\.com|http:\/\/127\.0\.0\.1:<port>/g, service.baseUrl)
      .replaceAll(/v2j_live_…|<key>/g, service.apiKey)
      .replaceAll("<key-id>", service.apiKey.slice(0, 15))
      .replaceAll("<job-id>", service.jobId)
      .replaceAll("./scripts/", `${repositoryRoot}/scripts/`);

  return {
    directory,
    save: ({ code }: Block, file: string) => writeFileSync(join(directory, file), filledIn(code)),
    run(language: string, code: string): Promise<Ended> {
      if (language === "ts") return run(process.execPath, ["--input-type=module-typescript", "-e", filledIn(code)]);
      if (language === "python") return run(python, ["-c", filledIn(code)]);
      return run("bash", ["--norc", "-euo", "pipefail", "-c", filledIn(code)]);
    },
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}

export type Reader = ReturnType<typeof openReader>;

function isSource(path: string): boolean {
  return !/node_modules|dist/.test(path.slice(repositoryRoot.length));
}
