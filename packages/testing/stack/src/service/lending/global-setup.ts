import { availableParallelism } from "node:os";
import type { TestProject } from "vitest/node";
import { lendServices } from "./lend-services.ts";

// A start costs as much as a short file. A file that waits for its turn keeps a worker of vitest idle.
const limit = Math.max(5, availableParallelism());

/** Lets the test files of a run share services (vitest's `globalSetup`). Without a borrower none starts. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { postgres } = project.getProvidedContext();
  const services = await lendServices(async () => {
    // Most runs of single files need none of this code.
    const { startSharedService } = await import("./start-shared-service.ts");
    return startSharedService(postgres);
  }, limit);
  project.provide("services", { port: services.port });
  return () => services.close();
}
