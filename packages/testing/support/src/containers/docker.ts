import { execFile, execFileSync } from "node:child_process";
import { promisify } from "node:util";

/** Runs a docker command. Returns its stdout, trimmed. Throws when it fails or takes longer than `timeoutMs` (60 s). */
export async function docker(args: readonly string[], timeoutMs = 60_000): Promise<string> {
  const { stdout } = await promisify(execFile)("docker", [...args], { timeout: timeoutMs, killSignal: "SIGKILL" });
  return stdout.trim();
}

/** Returns whether a container engine answers. */
export function dockerAnswers(): Promise<boolean> {
  return succeeds(docker(["version", "--format", "{{.Server.Version}}"], 5000));
}

/** Returns whether an image is present or can be pulled within `timeoutMs`. */
export async function haveImage(image: string, timeoutMs: number): Promise<boolean> {
  return (
    (await succeeds(docker(["image", "inspect", image], 5000))) ||
    (await succeeds(docker(["pull", "--quiet", image], timeoutMs)))
  );
}

/** Returns whether a container of this name runs. */
export function containerRuns(name: string): boolean {
  try {
    const args = ["inspect", "--format", "{{.State.Running}}", name];
    return execFileSync("docker", args, { encoding: "utf8", stdio: "pipe" }).trim() === "true";
  } catch {
    return false;
  }
}

async function succeeds(attempt: Promise<unknown>): Promise<boolean> {
  try {
    await attempt;
    return true;
  } catch {
    return false;
  }
}
