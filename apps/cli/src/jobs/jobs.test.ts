import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { runHere } from "../testing/run-here.ts";

test("jobs reads as many pages as the limit needs, and no more", async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const page = new URL(request.url ?? "", "http://x").searchParams;
    const first = Number(page.get("cursor") ?? 0);
    const numbers = Array.from({ length: Number(page.get("limit")) }, (_, index) => ({ id: first + index }));
    const jobs = numbers.filter(({ id }) => id < 230);
    const next = first + numbers.length;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jobs, next_cursor: next < 230 ? String(next) : null }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const env = { VIDEO_TO_JSON_URL: `http://127.0.0.1:${port}`, VIDEO_TO_JSON_API_KEY: "key" };
  const ids = async (limit: string) =>
    JSON.parse((await runHere(["jobs", "-n", limit, "--jq", "map(.id)"], env)).stdout);
  expect(await ids("150")).toEqual(Array.from({ length: 150 }, (_, index) => index));
  expect(asked.splice(0)).toEqual(["/v1/jobs?limit=100", "/v1/jobs?limit=50&cursor=100"]);
  expect((await ids("10000")).length).toBe(230);
  expect(asked).toHaveLength(3);
  server.close();
});
