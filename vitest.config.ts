import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

// A machine that is busy with other tests makes no test fail: these end only what hangs.
const patience = { testTimeout: 180_000, hookTimeout: 180_000, expect: { poll: { timeout: 45_000 } } };

/**
 * `unit` needs nothing but Node; `integration` needs the servers that `scripts/test` starts.
 * A file says which it is by its name: `<thing>.test.ts` or `<thing>.integration.test.ts`.
 */
export default defineConfig({
  test: {
    // Integration tests wait more than they compute: on a small machine, one worker for each core would idle.
    maxWorkers: Math.max(4, availableParallelism()),
    projects: [
      {
        test: {
          name: "unit",
          include: ["{apps,packages,packages/testing}/*/src/**/*.test.ts"],
          exclude: ["**/*.integration.test.ts", "**/node_modules/**"],
          ...patience,
        },
      },
      {
        test: {
          name: "integration",
          include: ["{apps,packages,packages/testing}/*/src/**/*.integration.test.ts"],
          globalSetup: ["packages/testing/support/src/global-setup.ts"],
          ...patience,
        },
      },
    ],
  },
});
