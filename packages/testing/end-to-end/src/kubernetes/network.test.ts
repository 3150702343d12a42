import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@video-to-json/testing";
import { describe, expect, test } from "vitest";
import { installations, type Manifest, objectOf } from "./installations.ts";

type Port = { protocol: string; port: number };
type Peer = { ipBlock?: { cidr: string; except?: string[] }; podSelector?: object; namespaceSelector?: object };
type Way = { peer: Peer; ports: string[] };
type Selector = { matchLabels?: Record<string, string>; matchExpressions?: { key: string; values: string[] }[] };

const selects = ({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Record<string, string>) =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
  matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ""));

/** The labels of every pod of the installation. */
const own = { "app.kubernetes.io/name": "video-to-json", "app.kubernetes.io/instance": "video-to-json" };

/** The places that the policies let a pod connect to, or that may connect to it. */
function ways(objects: ReadonlyMap<string, Manifest>, component: string, direction: "egress" | "ingress"): Way[] {
  const labels = { ...own, "app.kubernetes.io/component": component };
  const policies = [...objects.values()].filter(
    ({ kind, spec }) => kind === "NetworkPolicy" && selects(spec.podSelector, labels),
  );
  return policies.flatMap(({ spec }) =>
    (spec[direction] ?? []).flatMap((rule: { to?: Peer[]; from?: Peer[]; ports: Port[] }) =>
      (rule.to ?? rule.from ?? []).map((peer) => ({
        peer,
        ports: rule.ports.map(({ protocol, port }) => `${protocol} ${port}`),
      })),
    ),
  );
}

const source = (path: string) => readFileSync(join(repositoryRoot, "packages", path), "utf8");
const special = [...source("runtime/src/public-address.ts").matchAll(/"([\da-f:.]+\/\d+)"/g)].map(
  ([, range = ""]) => range,
);
const publicRanges = { ipv4: "0.0.0.0/0", ipv6: "2000::/3" };

/** The ports of the public internet that a component reaches, by the policies for both families of addresses. */
function publicPorts(objects: ReadonlyMap<string, Manifest>, component: string): string[] {
  const blocks = ways(objects, component, "egress").filter(
    ({ peer }) => peer.ipBlock && peer.ipBlock.cidr !== "10.20.0.0/16",
  );
  for (const { peer } of blocks) {
    const { cidr = "", except = [] } = peer.ipBlock ?? {};
    expect(Object.values(publicRanges)).toContain(cidr);
    const isIpv6 = cidr === publicRanges.ipv6;
    expect(except).toEqual(special.filter((range) => range !== cidr && range.includes(":") === isIpv6));
  }
  return [...new Set(blocks.flatMap(({ ports }) => ports))];
}

const inNamespace = (peer: Peer) =>
  Object.values((peer.namespaceSelector as Selector | undefined)?.matchLabels ?? {}).join();
const inPod = (peer: Peer) =>
  Object.entries((peer.podSelector as Selector | undefined)?.matchLabels ?? {})
    .flatMap(([key, value]) => (key in own ? [] : [value]))
    .join();
const privateWays = (objects: ReadonlyMap<string, Manifest>, component: string) =>
  ways(objects, component, "egress")
    .filter(({ peer }) => !Object.values(publicRanges).includes(peer.ipBlock?.cidr ?? ""))
    .map(
      ({ peer, ports }) =>
        `${peer.ipBlock?.cidr ?? [inNamespace(peer), inPod(peer)].filter(Boolean).join("/")}: ${ports}`,
    )
    .sort();

describe.each(installations)("$name", ({ objects, name: installation }) => {
  const dns = "kube-system/kube-dns: UDP 53,TCP 53";
  const databases =
    installation === "small" ? ["postgres: TCP 5432", "redis: TCP 6379"] : ["10.20.0.0/16: TCP 5432,TCP 6379"];

  test("refuses its own pods what no policy allows, and restricts no other pod of the namespace", () => {
    const { spec } = objectOf(objects, "NetworkPolicy/default-deny");
    expect(spec).toEqual({ podSelector: { matchLabels: own }, policyTypes: ["Ingress", "Egress"] });
    const policies = [...objects.values()].filter(({ kind }) => kind === "NetworkPolicy");
    expect(policies.filter(({ spec }) => selects(spec.podSelector, { app: "another" }))).toEqual([]);
  });

  test("workers reach the public internet on the ports of a video's URL, and no private range", () => {
    expect(special.length).toBeGreaterThan(20);
    const allowed = /new Set\(\[([^\]]+)\]\)/.exec(source("media/src/fetch/video-url.ts"))?.[1]?.match(/\d+/g);
    expect(publicPorts(objects, "worker")).toEqual(allowed?.map((port) => `TCP ${port}`));
    expect(privateWays(objects, "worker")).toEqual([...databases, dns].sort());
  });

  test("the API reaches its servers, mail and, in production, a bucket", () => {
    const bucket = installation === "production" ? ["TCP 443"] : [];
    expect(publicPorts(objects, "api").sort()).toEqual([...bucket, "TCP 465", "TCP 587"]);
    expect(privateWays(objects, "api")).toEqual([...databases, dns].sort());
  });

  test("migrations and servers do not reach the internet", () => {
    for (const component of ["migrate", "postgres", "redis"]) expect(publicPorts(objects, component)).toEqual([]);
    expect(privateWays(objects, "postgres")).toEqual([dns]);
  });

  test("the prober reaches the API, the database, and a public address over https", () => {
    expect(publicPorts(objects, "prober")).toEqual(["TCP 443"]);
    expect(privateWays(objects, "prober")).toEqual([...databases, "api: TCP 3000", dns].sort());
  });

  test("only the ingress and the prober reach the API, and only Prometheus the metrics", () => {
    const from = (component: string) =>
      ways(objects, component, "ingress")
        .map(({ peer, ports }) => `${inNamespace(peer) || inPod(peer)}: ${ports}`)
        .sort();
    expect(from("api")).toEqual(["ingress-nginx: TCP 3000", "monitoring: TCP 9464", "prober: TCP 3000"]);
    for (const component of ["worker", "prober"]) expect(from(component)).toEqual(["monitoring: TCP 9464"]);
    expect(from("migrate")).toEqual([]);
  });

  test.runIf(installation === "small")("only the processes reach PostgreSQL and Redis", () => {
    const components = (server: string) =>
      ways(objects, server, "ingress").flatMap(({ peer, ports }) =>
        ((peer.podSelector as Selector).matchExpressions ?? []).map(({ values }) => `${values} on ${ports}`),
      );
    expect(components("postgres")).toEqual(["api,worker,migrate,prober on TCP 5432"]);
    expect(components("redis")).toEqual(["api,worker on TCP 6379"]);
  });
});
