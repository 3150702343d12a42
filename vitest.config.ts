import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// They end only a test that hangs: a busy machine must not make a test fail.
const timeouts = { testTimeout: 600_000, hookTimeout: 600_000, expect: { poll: { timeout: 120_000 } } };

// Every file of a worker shares its modules: importing them anew for each file would take half of the CPU time.
const isolate = false;

// Vite imports packages as for development. Node does not, and tests must run the code that ships.
const plugins = [
  {
    name: "import as Node does",
    configResolved: ({ ssr }: { ssr: { resolve?: { conditions?: string[] } } }) => {
      if (ssr.resolve) ssr.resolve.conditions = ["node"];
    },
  },
];

// The files that take longest, slowest first. A slow file that starts last would keep one worker busy alone.
const slowest = [
  "/benchmarks.",
  "/package.integration.",
  "/sdk-cases.",
  "/fuzz.",
  "/without-route.",
  "/text-reader.",
  "/workbench.",
  "/dashboard.integration.",
  "/hostile-model.",
  "/two-workers.",
  "/prepare-for-provider.",
  "/secret-contents.",
  "/extract/extract.integration.",
  "/telemetry.",
  "/broken-disks.",
  "/mcp-clients.",
  "/mcp-suites.",
  "/hostile-files.",
  "/measure.integration.",
  "/fair-share.integration.",
  "/lost-commit.",
  "/contract.integration.",
  "/documents.integration.",
  "/extraction.",
  "/locked-account.",
  "/end-to-end/",
  "/sdk/src/",
  "/cli/src/",
  "/permits.integration.",
  "/job-id.",
  "/wait-for-job.",
  "/killed-worker.",
  "/silent-connection.",
  "/upload-breaks.",
  "/write-answer.",
  "/process-exit.",
  "/start-http-listener.",
];

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = slowest.findIndex((name) => moduleId.includes(name));
      return found < 0 ? slowest.length : found;
    };
    const isUnit = ({ moduleId }: TestSpecification) => Number(!moduleId.includes(".integration."));
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b) || isUnit(a) - isUnit(b));
  }
}

const tests = "{apps,packages,packages/testing}/*/src/**/*.test.ts";
const integrationTests = tests.replace("*.test", "*.integration.test");
const servers = {
  globalSetup: [
    "packages/testing/support/src/global-setup.ts",
    "packages/testing/stack/src/service/lending/global-setup.ts",
  ],
};
const execArgv = [
  "--import",
  new URL("packages/testing/support/src/processes/resolve-relative-imports.ts", import.meta.url).href,
];
const common = { isolate, execArgv, ...timeouts };

/**
 * `unit` needs nothing but Node. `integration` needs the servers that its global setup starts. The name of a file says
 * which it is: `<thing>.test.ts` or `<thing>.integration.test.ts`.
 */
const projects = [
  { plugins, test: { name: "unit", include: [tests], exclude: [integrationTests, "**/node_modules/**"], ...common } },
  { plugins, test: { name: "integration", include: [integrationTests], ...servers, ...common } },
];

// vitest keeps a worker only while the next file belongs to the same project. A whole run has one project, so that the
// unit tests run in the workers that have already imported most modules.
const oneProject = [{ plugins, test: { name: "all", include: [tests], ...servers, ...common } }];

export default defineConfig({
  test: {
    // Integration tests wait more than they compute: with one worker for each of two cores, both would be idle.
    maxWorkers: Math.max(8, availableParallelism()),
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // As in the emulator's main.ts: the threads of tesseract mostly wait for each other.
    env: { OMP_THREAD_LIMIT: "1" },
    sequence: { sequencer: SlowestFirst },
    projects: process.env.VIDEO_TO_JSON_TEST_ONE_PROJECT ? oneProject : projects,
  },
});
