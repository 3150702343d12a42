import { execFile } from "node:child_process";
import { copyFile, cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "@video-to-json/testing";
import { expect } from "vitest";

const run = promisify(execFile);
const packageRoot = join(repositoryRoot, "packages/sdk-python");

/**
 * Builds the wheel of the Python package and installs it in `site` of a new directory, with the tests, the cases and a
 * video.
 */
export async function stagePythonPackage(python: string, video: string) {
  const directory = await mkdtemp(join(tmpdir(), "v2j-python-"));
  // The build must not leave files in the source tree.
  const source = join(directory, "source");
  await cp(packageRoot, source, { recursive: true, filter: (path) => !path.includes("__pycache__") });
  await run(python, ["-m", "hatchling", "build", "-t", "wheel", "-d", directory], { cwd: source });
  const wheel = (await readdir(directory)).find((name) => name.endsWith(".whl")) ?? "";
  await run(python, ["-m", "zipfile", "-e", wheel, "site"], { cwd: directory });
  for (const name of ["tests", "README.md", "pyproject.toml"]) {
    await cp(join(source, name), join(directory, name), { recursive: true });
  }
  await rm(source, { recursive: true });
  await copyFile(join(import.meta.dirname, "cases.json"), join(directory, "cases.json"));
  await copyFile(video, join(directory, "match.mp4"));
  return {
    /** The names of the files in the wheel. */
    files: await readdir(join(directory, "site"), { recursive: true }),
    /** Runs Python in the directory. Returns its output. */
    run: (args: readonly string[], env: NodeJS.ProcessEnv) =>
      run(python, args, { cwd: directory, env }).then(
        ({ stdout }) => stdout,
        (error) => expect.unreachable(error.stdout + error.stderr),
      ),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}
