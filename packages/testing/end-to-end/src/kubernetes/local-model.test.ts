import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@video-to-json/testing";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { byName, environmentOf, objectOf, parseManifests } from "./installations.ts";
import { renderChart } from "./render-chart.ts";
import { schemaFaults } from "./schema-faults.ts";

test("the values for a model in the cluster lead the worker to it, and open the way to it alone", () => {
  const objects = byName(parseManifests(renderChart(["values-local-model.yaml"])));
  expect([...objects.values()].flatMap(schemaFaults)).toEqual([]);
  const { values } = environmentOf(objects, "Deployment/worker");
  const { hostname, port, pathname } = new URL(values.CHAT_BASE_URL ?? "");
  expect([values.PROVIDER, values.GLOBAL_CONCURRENCY, pathname]).toEqual(["chat", "2", "/v1"]);
  const { egress } = objectOf(objects, "NetworkPolicy/to-others").spec;
  const [app = "", namespace = ""] = hostname.split(".");
  expect(egress).toEqual([
    {
      to: [
        {
          namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
          podSelector: { matchLabels: { app } },
        },
      ],
      ports: [{ protocol: "TCP", port: Number(port) }],
    },
  ]);
});

test("in compose.local-model.yaml, only the worker and the operator's commands reach the model, which reaches nothing", () => {
  const read = (name: string) => parse(readFileSync(join(repositoryRoot, "infra", name), "utf8"), { merge: true });
  const { services, networks } = read("compose.local-model.yaml");
  const { model } = services;
  expect([model.networks, model.ports, networks.model]).toEqual([["model"], undefined, { internal: true }]);
  expect(model.deploy.resources.reservations.devices).toMatchObject([{ capabilities: ["gpu"] }]);
  const inNetwork = Object.keys(services).filter((name) => services[name].networks.includes("model"));
  expect(inNetwork).toEqual(["model", "worker", "admin"]);
  const { port, hostname } = new URL(services.worker.environment.CHAT_BASE_URL);
  expect([hostname, port]).toEqual(["model", model.command[model.command.indexOf("--port") + 1]]);
  expect(services.admin.environment).toEqual(services.worker.environment);
  // Both stay in the network of the databases, and the service keeps every other setting.
  for (const name of ["worker", "admin"]) expect(services[name].networks).toContain("default");
  expect(Object.keys(read("compose.yaml").services)).toEqual(expect.arrayContaining(["worker", "admin"]));
});
