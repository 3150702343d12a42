import { dockerAnswers, haveImage } from "../containers/docker.ts";
import { type ContainerServer, startContainerServer } from "../containers/start-container-server.ts";
import type { Server, ServerOptions } from "./server.ts";
import { type LocalServer, startLocalServer } from "./start-local-server.ts";

/** The two ways to run a server. `local` is undefined where its binaries are missing. */
export type Ways = { local: LocalServer | undefined; container: ContainerServer };

// The wait for an image is short where local binaries can replace it.
const pullMs = { preferred: 20_000, needed: 300_000 };

/** Starts a server the way that `options.prefer` names, or the other way where that is not available. */
export async function startServer({ local, container }: Ways, options: ServerOptions): Promise<Server> {
  const containerFirst = options.prefer === "container";
  if (local && !(containerFirst && (await canContain(container, pullMs.preferred)))) {
    return startLocalServer(local, options);
  }
  if (local || (await canContain(container, pullMs.needed))) return startContainerServer(container, options);
  throw new Error(`Neither ${container.name} nor Docker is installed. Run ./scripts/setup first.`);
}

async function canContain(container: ContainerServer, timeoutMs: number): Promise<boolean> {
  return (await dockerAnswers()) && (await haveImage(container.image, timeoutMs));
}
