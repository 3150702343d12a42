import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService, untilNothingIsLeft } from "@video-to-json/stack/service";
import { expect, onTestFinished, test } from "vitest";

test("a service with Vertex AI answers from objects of its bucket, checks times in clips, and leaves no object", async () => {
  const directory = await mkdtemp(join(tmpdir(), "vertex-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const keyFile = join(directory, "key.json");
  await using service = await startService({
    emulatorAs: "vertex",
    env: {
      ...{ PROVIDER: "vertex", VERTEX_PROJECT: "emulated-project", VERTEX_LOCATION: "europe-west4" },
      ...{ VERTEX_BUCKET: "emulated-bucket", VERTEX_CREDENTIALS: keyFile, GEMINI_API_KEY: "" },
    },
    settingsOf: async (_part, { emulatorUrl = "" }) => {
      await writeFile(keyFile, await (await fetch(`${emulatorUrl}/control/service-account`)).text());
      return { VERTEX_BASE_URL: emulatorUrl, VERTEX_STORAGE_URL: emulatorUrl };
    },
  });
  const schema = JSON.stringify({ main_color: "red|green|blue", cuts: [{ at: "timestamp" }] });
  const { status, body, headers } = await service.extract({ schema }, { "second-look": "times" });
  expect([status, body.data, body.billed_seconds]).toEqual([200, { main_color: "red", cuts: [{ at: "00:04" }] }, 60]);
  expect(headers.get("second-look-result")).toMatch(/^confirmed=1\b/);
  expect(JSON.parse((await service.read(`/v1/jobs/${body.id}`)).text).model).toBe("gemini-3.5-flash-lite");
  await untilNothingIsLeft(service);
});
