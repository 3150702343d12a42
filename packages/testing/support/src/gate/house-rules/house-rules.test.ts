import { expect, test } from "vitest";
import { repositoryRoot } from "../../test-environment.ts";
import { breaches } from "./house-rules.ts";
import { sourceFiles } from "./source-file.ts";

test("every file keeps the rules for imports and files", () => {
  // This file contains violations on purpose.
  const files = sourceFiles(repositoryRoot, ["apps", "packages"]).filter(
    ({ path }) => !path.endsWith("/house-rules.test.ts"),
  );
  expect(files.length).toBeGreaterThan(50);
  expect(breaches(files)).toEqual([]);
});

test.each([
  [
    "an app that imports an app",
    "apps/api/src/a.ts",
    'import { run } from "@video-to-json/worker";',
    "may not import worker",
  ],
  [
    "another package than contract in the dashboard",
    "apps/dashboard/src/a.tsx",
    'import { formatBalance } from "@video-to-json/database/money";',
    "may not import database",
  ],
  ["a package that imports an app", "packages/queue/src/a.ts", 'import "@video-to-json/api";', "may not import api"],
  [
    "an import away from contract",
    "packages/contract/src/a.ts",
    'export * from "@video-to-json/database";',
    "may not import database",
  ],
  [
    "an edge that is not allowed",
    "packages/media/src/a.ts",
    'const q = await import("@video-to-json/queue");',
    "may not import queue",
  ],
  [
    "a type import counts",
    "packages/storage/src/a.ts",
    'import type {\n  Db,\n} from "@video-to-json/database";',
    "may not import database",
  ],
  [
    "testing outside of tests",
    "apps/api/src/a.ts",
    'import { startRedis } from "@video-to-json/testing";',
    "may not import testing",
  ],
  [
    "contract in the published package",
    "packages/sdk/src/a.ts",
    'import type { Account } from "@video-to-json/contract";',
    "may not import contract",
  ],
  [
    "BullMQ outside of queue",
    "apps/worker/src/a.ts",
    'import { Queue } from "bullmq";',
    "may not import bullmq, which is packages/queue's",
  ],
  [
    "a test of the SDK that needs another package",
    "packages/sdk/src/b.test.ts",
    'import { problems } from "@video-to-json/contract";',
    "may not import contract",
  ],
  [
    "a subpath of a kept library",
    "packages/database/src/money/a.ts",
    'import x from "ioredis/built/x";',
    "may not import ioredis, which is packages/queue's",
  ],
  [
    "a path into another room",
    "packages/database/src/money/a.ts",
    'import { db } from "../../../queue/src/b.ts";',
    "reaches into packages/queue by a path",
  ],
  [
    "the environment outside of config.ts",
    "packages/queue/src/a.ts",
    "const url = process.env.REDIS_URL;",
    "reads process.env",
  ],
  ["a folder that names nothing", "packages/queue/src/utils/a.ts", "", 'the folder "utils" names nothing'],
  ["a file that is too long", "packages/queue/src/a.ts", "x;\n".repeat(401), "has 401 lines, more than 400"],
])("%s is a breach", (_, path, text, breach) => {
  expect(breaches([{ path, text }])).toEqual([`${path}: ${breach}`]);
});

test("a second file that imports the analysis library is a breach, a test of the first is not", () => {
  const text = 'import { GoogleGenerativeAI } from "@google/generative-ai";';
  const [first, second, ofFirst] = ["a.ts", "b.ts", "a.test.ts"].map((name) => ({
    path: `packages/analysis/src/${name}`,
    text,
  }));
  expect(breaches([first, second, ofFirst].filter((file) => file !== undefined))).toEqual([
    "packages/analysis/src/b.ts: imports @google/generative-ai, as packages/analysis/src/a.ts does already",
  ]);
});

test.each(["fresh-queue.harness.ts", "hostile-jobs.fixture.ts", "testing/fresh-queue.ts"])(
  "%s may import what tests may; the same file under a product's name may not",
  (name) => {
    const text = 'import { testRedis } from "@video-to-json/testing";';
    expect(breaches([{ path: `packages/queue/src/${name}`, text }])).toEqual([]);
    expect(breaches([{ path: "packages/queue/src/fresh-queue.ts", text }])).toEqual([
      "packages/queue/src/fresh-queue.ts: may not import testing",
    ]);
  },
);

test("a product file that imports a fixture or a harness is a breach, a test that does is not", () => {
  const text = 'import { freshQueue } from "./fresh-queue.harness.ts";';
  expect(breaches([{ path: "packages/queue/src/a.test.ts", text }])).toEqual([]);
  expect(breaches([{ path: "packages/queue/src/a.ts", text }])).toEqual([
    "packages/queue/src/a.ts: imports ./fresh-queue.harness.ts, which does not ship",
  ]);
});

test("allowed imports pass", () => {
  const text = 'import { problems } from "@video-to-json/contract";\nimport { a } from "./a.ts";\n// import "bullmq"';
  expect(breaches([{ path: "packages/queue/src/b.ts", text }])).toEqual([]);
  const inTest = 'import { testRedis } from "@video-to-json/testing";\nprocess.env.X = "1";';
  expect(breaches([{ path: "packages/queue/src/b.integration.test.ts", text: inTest }])).toEqual([]);
  expect(breaches([{ path: "packages/queue/src/b.test.ts", text: "x;\n".repeat(500) }])).toEqual([]);
});
