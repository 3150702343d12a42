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

const derived = "derives a type with Parameters<typeof …>; name the type";
const from = (name: string) => `import { x } from "${name}";`;

test.each([
  ["an app", "apps/api/src/a.ts", from("@video-to-json/worker"), "may not import worker"],
  ["another package than contract", "apps/dashboard/src/a.tsx", from("@video-to-json/sdk"), "may not import sdk"],
  ["an app in a package", "packages/queue/src/a.ts", 'import "@video-to-json/api";', "may not import api"],
  ["away from contract", "packages/contract/src/a.ts", 'export * from "@video-to-json/sdk";', "may not import sdk"],
  ["against an edge", "packages/media/src/a.ts", 'await import("@video-to-json/queue");', "may not import queue"],
  ["a type", "packages/storage/src/a.ts", 'import type {\n  D,\n} from "@video-to-json/sdk";', "may not import sdk"],
  ["testing outside of tests", "apps/api/src/a.ts", from("@video-to-json/testing"), "may not import testing"],
  ["contract in the SDK", "packages/sdk/src/a.ts", from("@video-to-json/contract"), "may not import contract"],
  ["in a test of the SDK", "packages/sdk/src/b.test.ts", from("@video-to-json/queue"), "may not import queue"],
  ["a kept library", "apps/worker/src/a.ts", from("bullmq"), "may not import bullmq, which is packages/queue's"],
  ["its subpath", "apps/api/src/a.ts", from("ioredis/x"), "may not import ioredis, which is packages/queue's"],
  ["by a path", "packages/media/src/a/b.ts", from("../../../queue/src/b.ts"), "reaches into packages/queue by a path"],
  ["the environment", "packages/queue/src/a.ts", "process.env.REDIS_URL;", "reads process.env"],
  ["a nameless folder", "packages/queue/src/utils/a.ts", "", 'the folder "utils" names nothing'],
  ["a long file", "packages/queue/src/a.ts", "x;\n".repeat(401), "has 401 lines, more than 400"],
  ["state", "packages/queue/src/a.ts", "let a = 0;", "keeps mutable state in a module; create it in a function"],
  ["its export", "apps/api/src/a.ts", "export let a;", "keeps mutable state in a module; create it in a function"],
  ["a derived type", "apps/api/src/a.ts", "type A = Parameters<typeof run>[0];", derived],
])("a breach: %s in %s", (_, path, text, breach) => {
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

test.each(["fresh-queue.harness.ts", "hostile-jobs.fixture.ts", "testing/fresh-queue.ts", "rolldown.config.ts"])(
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

test("a variable inside a function is allowed, and so is state in a test", () => {
  const text = "export function count() {\n  let found = 0;\n  return found;\n}\n";
  expect(breaches([{ path: "packages/queue/src/a.ts", text }])).toEqual([]);
  expect(breaches([{ path: "packages/queue/src/a.test.ts", text: "let found = 0;" }])).toEqual([]);
});

test("allowed imports pass", () => {
  const text = 'import { problems } from "@video-to-json/contract";\nimport { a } from "./a.ts";\n// import "bullmq"';
  expect(breaches([{ path: "packages/queue/src/b.ts", text }])).toEqual([]);
  const inTest = 'import { testRedis } from "@video-to-json/testing";\nprocess.env.X = "1";';
  expect(breaches([{ path: "packages/queue/src/b.integration.test.ts", text: inTest }])).toEqual([]);
  expect(breaches([{ path: "packages/queue/src/b.test.ts", text: "x;\n".repeat(500) }])).toEqual([]);
});
