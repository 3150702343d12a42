import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const registryEntry = JSON.parse(readFileSync(new URL("../../../../server.json", import.meta.url), "utf8"));

test("server.json respects the limits of the registry and names this endpoint and its header", () => {
  const { name, description, version, remotes } = registryEntry;
  expect(name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
  expect(description.length).toBeLessThanOrEqual(100);
  expect(version).toBe("1.0.0");
  expect(remotes).toEqual([
    expect.objectContaining({ type: "streamable-http", url: expect.stringMatching(/^https:\/\/\{host\}\/v1\/mcp$/) }),
  ]);
  const [{ headers, variables }] = remotes;
  expect(headers).toEqual([expect.objectContaining({ name: "Authorization", isRequired: true, isSecret: true })]);
  expect(Object.keys(variables)).toEqual(["host"]);
});
