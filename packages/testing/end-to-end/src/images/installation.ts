import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { copyWorkingTree } from "./check-out.ts";
import { type Output, runCommand } from "./run-command.ts";
import type { Step } from "./steps/step.ts";

/** The service under Docker Compose, with its sources in a directory. */
export type Installation = {
  readonly name: string;
  readonly directory: string;
  readonly url: string;
  readonly key: string;
};

type Docker = Step["docker"];

/** An account of this address exists from the first start. */
const email = "try@example.com";
export const freeSeconds = 36_000;

type NewInstallation = { directory: string; name: string; port: number; more?: Record<string, string> };

/** Writes infra/.env for an installation. Several on one machine need different names and ports. */
export async function writeSettings({ directory, name, port, more = {} }: NewInstallation) {
  const settings = {
    COMPOSE_PROJECT_NAME: name,
    VERSION: "try",
    // Releases with one image for all processes gave it this name.
    IMAGE: "video-to-json-previous",
    API_LISTEN: `127.0.0.1:${port}`,
    POSTGRES_PASSWORD: "owner",
    SERVICE_PASSWORD: "service",
    REDIS_PASSWORD: "queue",
    FIRST_ACCOUNT_EMAIL: email,
    FREE_SECONDS: freeSeconds,
    MAX_JOBS_PER_ACCOUNT: 20,
    GEMINI_API_KEY: "try",
    GEMINI_BASE_URL: "http://provider:8080",
    ...more,
  };
  const lines = Object.entries(settings).map(([setting, value]) => `${setting}=${value}\n`);
  await writeFile(join(directory, "infra/.env"), lines.join(""));
}

/** Starts the current sources with the emulator. The key is that of the first start. The block removes it. */
export async function install(
  { docker, repository, directory, port }: Omit<Step, "video">,
  name: string,
  more: Record<string, string> = {},
): Promise<Installation & AsyncDisposable> {
  const at = { name: `video-to-json-try-${name}`, directory: join(directory, name), url: `http://127.0.0.1:${port}` };
  await copyWorkingTree({ repository, env: docker.env }, at.directory);
  await writeSettings({ ...at, port, more });
  await using removed = new AsyncDisposableStack();
  removed.defer(() => removeInstallation(docker, at));
  await shell(docker, at, "docker compose -f infra/compose.yaml up --wait");
  await until("the API answers", 60, async () => (await fetch(`${at.url}/readyz`)).ok);
  const { stdout } = await compose(docker, at, "logs", "migrate");
  await startProvider(docker, at);
  const kept = removed.move();
  const key = /v2j_live_\w+/.exec(stdout.toString())?.[0] ?? "";
  return { ...at, key, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Runs commands of the documents in the directory of an installation, as a shell does. */
export function shell(
  { env }: Docker,
  { directory }: Pick<Installation, "directory">,
  commands: string,
): Promise<Output> {
  return runCommand(["bash", "-euo", "pipefail", "-c", commands], { cwd: directory, env });
}

export function compose({ env }: Docker, { directory }: Pick<Installation, "directory">, ...args: string[]) {
  return runCommand(["docker", "compose", "-f", "infra/compose.yaml", ...args], { cwd: directory, env });
}

/** Creates a key of the account. Creates the account too if the release does not do so at its first start. */
export async function createKey(
  docker: Docker,
  installation: Pick<Installation, "directory">,
  options: readonly string[] = [],
): Promise<string> {
  await compose(docker, installation, "run", "--rm", "admin", "account", "create", "--email", email);
  const create = ["key", "create", "--account", email, "--json", ...options];
  const { stdout } = await compose(docker, installation, "run", "--rm", "admin", ...create);
  return JSON.parse(stdout.toString().trim().split("\n").at(-1) ?? "").key;
}

/** Starts the emulator in the network of an installation. It outlives every change of the installation. */
export async function startProvider({ env }: Docker, { name }: { name: string }): Promise<void> {
  const network = `${name}_default`;
  const options = ["--name", `${name}-provider`, "--network", network, "--network-alias", "provider"];
  await runCommand(["docker", "run", "--detach", ...options, "video-to-json-emulator:try"], { env });
}

/** Sets how long the provider takes for each of the next questions, in milliseconds. */
export async function slowProvider({ env }: Docker, { name }: { name: string }, delays: readonly number[]) {
  const faults = delays.map((ms, index) => ({ on: "generate", kind: "latency", ms, after: index }));
  const script = `fetch("http://127.0.0.1:8080/control/faults", { method: "PUT", body: ${JSON.stringify(JSON.stringify({ faults }))} })
    .then((response) => { if (!response.ok) process.exit(1); })`;
  await runCommand(["docker", "exec", `${name}-provider`, "node", "--eval", script], { env });
}

/** Stops an installation and removes its containers, volumes and network, and the provider. */
export async function removeInstallation(
  docker: Docker,
  { name, directory }: Pick<Installation, "name" | "directory">,
) {
  const remove = ["docker", "rm", "--force", "--volumes", `${name}-provider`];
  await runCommand(remove, docker).catch(() => {});
  if (existsSync(join(directory, "infra/.env"))) {
    await compose(docker, { directory }, "down", "--volumes", "--remove-orphans", "--timeout", "5");
  }
}

type Request = { fields?: Record<string, string>; headers?: Record<string, string> };

/** Sends a video. Returns the status and the body of the response, and the address of the evidence if it has one. */
export async function extract({ url, key }: Installation, video: Buffer, { fields, headers }: Request = {}) {
  const form = new FormData();
  const all = { schema: '{"title":"string?","seconds":0}', ...fields };
  for (const [name, value] of Object.entries(all)) form.set(name, value);
  form.set("video", new Blob([new Uint8Array(video)]), "try.mp4");
  const response = await fetch(`${url}/v1/extract`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "idempotency-key": randomUUID(), ...headers },
    body: form,
  });
  const evidence = /<([^>]*\/evidence)>/.exec(response.headers.get("link") ?? "")?.[1];
  return { status: response.status, body: (await response.json()) as Record<string, unknown>, evidence };
}

export async function read({ url, key }: Installation, path: string): Promise<Record<string, unknown>> {
  const response = await fetch(new URL(path, url), { headers: { authorization: `Bearer ${key}` } });
  return (await response.json()) as Record<string, unknown>;
}

export async function secondsRemaining(installation: Installation): Promise<number> {
  return Number((await read(installation, "/v1/me")).seconds_remaining);
}

/** Queries the database of an installation. Returns the first column of the first row. */
export async function query(
  docker: Docker,
  installation: Pick<Installation, "directory">,
  sql: string,
): Promise<string> {
  const psql = ["psql", "-U", "video_to_json", "-d", "video_to_json", "-tA", "-c", sql];
  const { stdout } = await compose(docker, installation, "exec", "-T", "postgres", ...psql);
  return stdout.toString().trim();
}

/** Resolves when `holds` does. Throws after `seconds`. */
export async function until(what: string, seconds: number, holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!(await holds().catch(() => false))) {
    if (performance.now() > end) throw new Error(`Not within ${seconds} s: ${what}`);
    await sleep(500);
  }
}

/** Returns the commands of the first block of shell commands under a heading of docs/upgrades-and-backups.md, word for word. */
export function documentedCommands(root: string, heading: string): string {
  const text = readFileSync(join(root, "docs/upgrades-and-backups.md"), "utf8");
  const start = text.search(new RegExp(`^#{2,4} ${heading}$`, "m"));
  const block = /```sh\n([\s\S]*?)```/.exec(start < 0 ? "" : text.slice(start));
  if (!block?.[1]) throw new Error(`docs/upgrades-and-backups.md has no commands under "${heading}".`);
  return block[1];
}
