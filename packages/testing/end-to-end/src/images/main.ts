import { chmodSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { parseArgs } from "node:util";
import { copyWorkingTree } from "./check-out.ts";
import { makeVideo } from "./make-video.ts";
import { runCommand } from "./run-command.ts";
import { archive } from "./steps/archive.ts";
import { backUp } from "./steps/back-up.ts";
import { build } from "./steps/build.ts";
import { programs } from "./steps/programs.ts";
import { scale } from "./steps/scale.ts";
import { createReport } from "./steps/step.ts";
import { upgrade } from "./steps/upgrade.ts";

const usage = `Usage: infra/try [programs] [scale] [upgrade] [backup] [archive] [--previous COMMIT] [--port PORT]
Builds the images, then takes these steps, all by default:
  programs  videos of every container, clips, evidence, the second look: everything that a worker starts is in its image
  scale     first start, an extraction, five workers, one of them killed with jobs running
  upgrade   from the previous release with jobs in flight, back to it, and forth again
  backup    back up, and restore into an empty installation, with the commands of docs/upgrades-and-backups.md
  archive   archive the log of PostgreSQL, and restore to a moment and to the end
--previous  the previous release; the newest one of CHANGELOG.md, if this clone has its tag
--port      a free port of this machine; 13700 by default
Other base images: NODE_IMAGE, POSTGRES_IMAGE and REDIS_IMAGE in the environment.`;

const repository = join(import.meta.dirname, "../../../../..");
const directory = await mkdtemp(join(tmpdir(), "video-to-json-try-"));
try {
  const { values, positionals } = parseArgs({
    options: {
      previous: { type: "string" },
      port: { type: "string", default: "13700" },
      help: { type: "boolean", short: "h", default: false },
    },
    allowPositionals: true,
  });
  const unknown = positionals.find((name) => !["programs", "scale", "upgrade", "backup", "archive"].includes(name));
  if (values.help || unknown) console.log(usage);
  else await takeSteps(positionals, values);
  if (unknown) process.exitCode = 2;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await rm(directory, { recursive: true, force: true });
}

async function takeSteps(chosen: readonly string[], { previous, port }: { previous?: string; port: string }) {
  const report = createReport((line) => process.stdout.write(line));
  const docker = await findDocker(directory, process.env);
  if ("missing" in docker) return report.note(`skipped: ${docker.missing}`);
  report.note(`Docker Compose ${docker.version}`);
  const isChosen = (name: string) => chosen.length === 0 || chosen.includes(name);
  const sources = join(directory, "sources");
  await copyWorkingTree({ repository, env: docker.env }, sources);
  const base = { docker, repository, directory, port: Number(port), report };
  await build(base, sources);
  const step = { ...base, video: await makeVideo(base) };
  if (isChosen("programs")) await programs(step);
  if (isChosen("scale")) await scale(step);
  if (isChosen("upgrade")) await upgrade(step, previous);
  if (isChosen("backup")) await backUp(step);
  if (isChosen("archive")) await archive(step);
  report.note("done");
}

// Translates the commands of the documents, because this version cannot wait for health.
const shim = (docker: string) => `#!/bin/sh
[ "$1" = compose ] || exec "${docker}" "$@"
shift
waits=
for word; do
  shift
  if [ "$word" = --wait ]; then waits=yes word=-d; fi
  set -- "$@" "$word"
done
docker-compose "$@" || exit
while [ "$waits" ] && "${docker}" ps --filter health=starting --quiet | grep -q .; do sleep 1; done
`;

/** If only `docker-compose` 1.29 is installed, `directory` gets a program `docker` that calls it. */
async function findDocker(
  directory: string,
  env: NodeJS.ProcessEnv,
): Promise<{ env: NodeJS.ProcessEnv; version: string } | { missing: string }> {
  const says = (command: string[]) =>
    runCommand(command, { cwd: directory, env }).then(
      ({ stdout }) => stdout.toString().trim(),
      () => undefined,
    );
  if ((await says(["docker", "version", "--format", "{{.Server.Version}}"])) === undefined) {
    return { missing: "Docker does not answer. Install it, start it, and allow this user to use it." };
  }
  const version = await says(["docker", "compose", "version", "--short"]);
  if (version !== undefined) return { env, version };
  const old = await says(["docker-compose", "version", "--short"]);
  const path = await says(["sh", "-c", "command -v docker"]);
  if (old === undefined || path === undefined) return { missing: "There is no Docker Compose. Install it." };
  writeFileSync(join(directory, "docker"), shim(path));
  chmodSync(join(directory, "docker"), 0o755);
  return { env: { ...env, PATH: `${directory}${delimiter}${env.PATH}` }, version: old };
}
