import { expect, test } from "vitest";
import { answers, cuts, type Handler, refuses } from "../testing/start-fault-server.ts";
import { errorOf, startServerAndClient } from "../testing/start-server-and-client.ts";

const erases: Handler = (_request, response) => void response.writeHead(204).end();

test("a job is deleted by its id", async () => {
  await using at = await startServerAndClient(erases);
  expect(await at.client.deleteJob("a/b")).toBeUndefined();
  expect(at.server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual(["DELETE /v1/jobs/a%2Fb"]);
});

test("an unknown job is an error, unless an earlier try whose answer was lost may have erased it", async () => {
  await using missing = await startServerAndClient(refuses(404, "not_found"));
  expect(await errorOf(missing.client.deleteJob("1"))).toMatchObject({ code: "not_found", status: 404 });
  expect(missing.server.requests).toHaveLength(1);
  await using lost = await startServerAndClient(cuts("at once"), refuses(404, "not_found"));
  await lost.client.deleteJob("1");
  expect(lost.server.requests).toHaveLength(2);
});

test("a running job is refused, and the answer of another server is not a deletion", async () => {
  await using running = await startServerAndClient(refuses(400, "invalid_request"));
  expect(await errorOf(running.client.deleteJob("1"))).toMatchObject({ code: "invalid_request" });
  await using other = await startServerAndClient(answers("<html>", 404));
  expect(await errorOf(other.client.deleteJob("1"))).toMatchObject({ name: "VideoToJsonConnectionError" });
});
