import { readFile } from "node:fs/promises";
import { type BorrowedService, borrowService } from "@video-to-json/stack/service";
import { exchangeOf } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

let service: BorrowedService;
beforeAll(async () => {
  service = await borrowService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** Uploads the clip and asks for this type. Returns the exchange, which the interface description must allow. */
async function extract(accept: string, key: string) {
  const form = new FormData();
  form.set("schema", '{"main_color":"red|green|blue"}');
  form.set("video", new File([await readFile(service.video)], "clip.mp4"));
  const headers = { authorization: `Bearer ${service.apiKey}`, accept, "idempotency-key": key };
  const response = await fetch(`${service.baseUrl}/v1/extract`, { method: "POST", headers, body: form });
  const exchange = await exchangeOf(response, "POST");
  expect(service.contract.faultsOf(exchange)).toEqual([]);
  return exchange;
}

const eventsOf = (body: string) =>
  [...body.matchAll(/^event: (.*)\ndata: (.*)\n\n/gm)].map(([, name = "", data = ""]) => ({ name, data }));
const progressOf = (body: string) => eventsOf(body).flatMap(({ name, data }) => (name === "progress" ? [data] : []));

test("a held call reports each stage of its job, and its last event is the body of the JSON response", async () => {
  const held = await extract("text/event-stream", "held");
  expect(eventsOf(held.body)[0]?.data).toBe(`{"id":"${held.header("job-id")}","replayed":false}`);
  const stages = ["obtaining", "probing", "uploading", "analysing", "settling"];
  expect(progressOf(held.body)).toEqual(stages.map((stage) => `{"stage":"${stage}","attempt":1}`));
  const json = await extract("application/json", "held");
  expect(json.header("idempotent-replayed")).toBe("true");
  expect(eventsOf(held.body).at(-1)).toEqual({ name: "result", data: json.body });
});

test("a held call counts the questions to the model, and ends with the error of a job that fails", async () => {
  await service.emulator.setFaults([{ on: "generate", kind: "violate-schema", times: 3 }]);
  const held = await extract("text/event-stream", "fails");
  const attempts = progressOf(held.body).filter((data) => data.includes("analysing"));
  expect(attempts).toEqual([1, 2, 3].map((attempt) => `{"stage":"analysing","attempt":${attempt}}`));
  const { name, data = "{}" } = eventsOf(held.body).at(-1) ?? {};
  expect([name, JSON.parse(data)]).toMatchObject(["error", { status: 422, error: { code: "extraction_failed" } }]);
});
