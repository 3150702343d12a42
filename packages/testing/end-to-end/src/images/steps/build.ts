import { compose, writeSettings } from "../installation.ts";
import { runCommand } from "../run-command.ts";
import type { Step } from "./step.ts";

const targets = ["api", "worker", "migrate", "emulator"] as const;
const maxMegabytes: Partial<Record<string, number>> = { api: 180, worker: 250 };

/** Builds the images from a copy of the sources, and checks their sizes, users, labels and lists of contents. */
export async function build({ docker, report, port }: Omit<Step, "video">, directory: string): Promise<void> {
  await writeSettings({ directory, name: "video-to-json-try", port });
  await compose(docker, { directory }, "--profile", "emulator", "build");
  for (const target of targets) {
    const image = `video-to-json-${target}:try`;
    const { stdout } = await runCommand(["docker", "image", "inspect", image], docker);
    const [{ Size: size, Config: config }] = JSON.parse(stdout.toString());
    const megabytes = Math.round(size / 1e6);
    report.note(`${image} has ${megabytes} MB`);
    report.same(`${image} is not too large`, megabytes <= (maxMegabytes[target] ?? Number.POSITIVE_INFINITY), true);
    report.same(`${image} does not run as root`, config.User, "1000:1000");
    report.same(`${image} has an init process`, config.Entrypoint[0], "tini");
    report.same(`${image} names its title`, typeof config.Labels["org.opencontainers.image.title"], "string");
    const read =
      'console.log(JSON.parse(require("fs").readFileSync("/usr/share/sbom/video-to-json.cdx.json")).components.length)';
    const list = ["docker", "run", "--rm", "--entrypoint", "node", image, "--eval", read];
    const count = Number((await runCommand(list, docker)).stdout);
    report.same(`${image} lists what it contains`, count > 10, true);
  }
}
