import { execFile } from "node:child_process";
import { copyFile, cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "@video-to-json/testing";

const run = promisify(execFile);
const packageRoot = join(repositoryRoot, "packages/sdk-python");

/**
 * Builds the wheel of the Python package and installs it in `site` of a new directory, with the tests, the cases and a
 * video. All paths in the directory are relative, so that it can be moved into another root.
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
  const files = (await run(python, ["-m", "zipfile", "-l", wheel], { cwd: directory })).stdout;
  return {
    directory,
    wheel,
    /** The names of the files in the wheel. */
    files: files
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.replace(/ +\d{4}-.*$/, "")),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

/** The environment of Python in a staged directory. */
export const stagedEnvironment = { PYTHONPATH: "site", PYTHONDONTWRITEBYTECODE: "1", LC_ALL: "C.UTF-8" };
