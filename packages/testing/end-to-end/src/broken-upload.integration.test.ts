import { startService, untilNothingIsLeft } from "@video-to-json/stack/service";
import { expect, test } from "vitest";

test("the part of a video that a killed worker had sent does not stay at the provider", async () => {
  await using service = await startService({ workers: 1 });
  await service.emulator.setFaults([{ on: "chunk", kind: "hang", times: 1 }]);
  const answer = service.extract();
  await service.emulator.waitFor({ "requests.chunk": 1 });
  process.kill(service.processOf("worker-1").pid, "SIGKILL");
  expect((await service.emulator.state()).openUploads).toBe(1);
  await service.startWorker();
  const { status, body } = await answer;
  expect([status, body.data]).toEqual([200, { main_color: "red" }]);
  await untilNothingIsLeft(service);
});
