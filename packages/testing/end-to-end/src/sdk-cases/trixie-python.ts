import { execFile } from "node:child_process";
import { access, cp, mkdir, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { docker, dockerAnswers, repositoryRoot } from "@video-to-json/testing";

const run = promisify(execFile);
const packages = ["python3-httpx", "python3-pytest", "python3-pydantic", "python3-typing-extensions", "mypy"];
const image = "debian:trixie-slim";
const cachedRoot = join(repositoryRoot, ".local", "trixie-python");

/** Runs commands of a shell in a copy of a directory, on Debian 13, with the loopback network of this machine. */
export type TrixiePython = (directory: string, env: Record<string, string>, command: string) => Promise<string>;

/**
 * Returns a way to run Python on Debian 13, which has pydantic 2: in a container, or else in a root made by
 * debootstrap.
 */
export async function findTrixiePython(): Promise<TrixiePython | undefined> {
  if (await dockerAnswers()) return inContainer;
  const canBootstrap = process.getuid?.() === 0 && (await succeeds(run("debootstrap", ["--version"])));
  return canBootstrap ? inRoot : undefined;
}

const inContainer: TrixiePython = (directory, env, command) => {
  const install = `apt-get update -qq && apt-get install -qq --no-install-recommends ${packages.join(" ")} >/dev/null`;
  const settings = Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
  const mount = ["--volume", `${directory}:/staged:ro`, "--workdir", "/staged"];
  const shell = ["sh", "-c", `(${install}) && ${command}`];
  return docker(["run", "--rm", "--network", "host", ...mount, ...settings, image, ...shell], 600_000);
};

const inRoot: TrixiePython = async (directory, env, command) => {
  if (!(await succeeds(access(cachedRoot)))) await bootstrap();
  const name = basename(directory);
  const inside = join(cachedRoot, name);
  await cp(directory, inside, { recursive: true });
  try {
    const shell = ["sh", "-c", `cd /${name} && ${command}`];
    const { stdout } = await run("chroot", [cachedRoot, ...shell], {
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", ...env },
      maxBuffer: 2 ** 26,
    });
    return stdout;
  } finally {
    await rm(inside, { recursive: true, force: true });
  }
};

/** Creates the root once. An incomplete root has a different name. */
async function bootstrap(): Promise<void> {
  const unfinished = `${cachedRoot}.${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  try {
    const include = `--include=${packages.join(",")}`;
    await run("debootstrap", ["--variant=minbase", include, "trixie", unfinished], { maxBuffer: 2 ** 26 });
    await rename(unfinished, cachedRoot);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

async function succeeds(attempt: Promise<unknown>): Promise<boolean> {
  return attempt.then(
    () => true,
    () => false,
  );
}
