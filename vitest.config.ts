import { defineConfig } from "vitest/config";

/**
 * `unit` needs nothing but Node; `integration` needs the servers that `scripts/test` starts.
 * A file says which it is by its name: `<thing>.test.ts` or `<thing>.integration.test.ts`.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["{apps,packages}/*/src/**/*.test.ts", "scripts/**/*.test.ts"],
          exclude: ["**/*.integration.test.ts", "**/node_modules/**"],
        },
      },
      {
        test: {
          name: "integration",
          include: ["{apps,packages}/*/src/**/*.integration.test.ts"],
          globalSetup: ["packages/testing/src/global-setup.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
