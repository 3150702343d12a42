import { chmodSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { runCommand } from "./run-command.ts";

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
export async function findDocker(
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
