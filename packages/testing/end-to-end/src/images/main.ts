import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { copyWorkingTree } from "./check-out.ts";
import { findDocker } from "./find-docker.ts";
import { makeVideo } from "./make-video.ts";
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
