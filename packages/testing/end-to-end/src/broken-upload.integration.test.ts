import { startService, untilNothingIsLeft } from "@video-to-json/stack/service";
import { expect, test } from "vitest";

test("what a worker had sent of a video when it was killed is not left at the analysis service", async () => {
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
