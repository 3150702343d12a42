import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { askRedis, freePort, startSentinels } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { inMs, ownRedis, queueUnderTest } from "../testing/queue.harness.ts";

const run = promisify(execFile);
const hasOpenssl = await run("openssl", ["version"]).then(
  () => true,
  () => false,
);

/** Makes an authority and a certificate of it for localhost, and a second authority that knows neither. */
async function certify() {
  const folder = await mkdtemp(join(tmpdir(), "company-redis-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const authority = async (name: string) => {
    const files = ["-keyout", join(folder, `${name}.key`), "-out", join(folder, `${name}.pem`)];
    await run("openssl", ["req", "-x509", ...key, "-days", "1", "-subj", `/CN=${name}`, ...files]);
  };
  await Promise.all([authority("ca"), authority("other")]);
  const at = (name: string) => join(folder, name);
  await run("openssl", [
    ...["req", "-x509", ...key, "-days", "1", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
    ...["-CA", at("ca.pem"), "-CAkey", at("ca.key"), "-keyout", at("server.key"), "-out", at("server.pem")],
  ]);
  return { ca: at("ca.pem"), other: at("other.pem"), certificate: at("server.pem"), key: at("server.key") };
}

test.runIf(hasOpenssl)(
  "Redis with TLS and an own authority is reached by its name; another authority or name is refused with words",
  async (context) => {
    const { ca, other, certificate, key } = await certify();
    const port = await freePort();
    const files = { "tls-cert-file": certificate, "tls-key-file": key, "tls-ca-cert-file": ca };
    const server = await ownRedis({
      settings: { "tls-port": String(port), ...files, "tls-auth-clients": "no" },
    });
    onTestFinished(() => server.stop());
    if (server.container) return context.skip("its certificates would have to be in a container");
    await askRedis(server.url, "CONFIG SET requirepass se/cret");

    const reach = async (host: string, parameters: string) => {
      const url = `rediss://:se%2Fcret@${host}:${port}${parameters}`;
      await using under = queueUnderTest({ url });
      const queue = under.queue();
      return await queue.inspect().then(
        ({ hasLostData }) => `reached ${hasLostData}`,
        ({ message }) => message,
      );
    };
    expect(await reach("localhost", `?ca=${ca}`)).toBe("reached false");
    const advice = "Correct the host, or `ca`, in REDIS_URL.";
    expect(await reach("127.0.0.1", `?ca=${ca}`)).toMatch(/altnames.*Correct the host, or `ca`, in REDIS_URL\.$/s);
    for (const parameters of ["", `?ca=${other}`]) {
      const message = await reach("localhost", parameters);
      expect(message).toMatch(/certificate/);
      expect(message).toContain(advice);
    }
  },
);

test.runIf(hasOpenssl)(
  "a Redis or Sentinel whose certificate is refused, and that breaks the connection off at the same moment, ends no process",
  async (context) => {
    const { certificate, key, ca } = await certify();
    const port = await freePort();
    const files = { "tls-cert-file": certificate, "tls-key-file": key, "tls-ca-cert-file": ca };
    const server = await ownRedis({ settings: { "tls-port": String(port), ...files, "tls-auth-clients": "no" } });
    onTestFinished(() => server.stop());
    if (server.container) return context.skip("its certificates would have to be in a container");
    // It adds a broken record to each greeting, and passes on at once what the server answers to both.
    const breaking = createServer((socket) => {
      const toServer = connect(port, "127.0.0.1");
      const answer: Buffer[] = [];
      for (const one of [socket, toServer]) one.on("error", () => {});
      socket.once("data", (greeting) => toServer.write(Buffer.concat([greeting, Buffer.from([23, 3, 3, 0, 2, 0, 0])])));
      toServer.on("data", (bytes) => answer.push(bytes));
      toServer.on("close", () => socket.end(Buffer.concat(answer)));
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void breaking.close());
    await once(breaking, "listening");
    const { port: breakingPort } = breaking.address() as AddressInfo;
    await using under = queueUnderTest({ url: `rediss://localhost:${breakingPort}` });
    await expect(under.queue().inspect()).rejects.toThrow(/certificate/);
    await using behind = queueUnderTest({ url: `rediss+sentinel://localhost:${breakingPort}/main` });
    await expect(behind.queue().inspect()).rejects.toThrow(/certificate/);
  },
);

test("a Redis Cluster is refused with words", async () => {
  // Otherwise Redis takes the port 10,000 above its own, which an outgoing connection may have.
  const settings = { "cluster-enabled": "yes", "cluster-port": String(await freePort()) };
  await using server = await ownRedis({ settings });
  await using under = queueUnderTest(server);
  await expect(under.queue().inspect()).rejects.toThrow(/Redis Cluster, which is not supported.*REDIS_URL/);
});

test("when Sentinel makes another server the primary, jobs run, waits and permits continue, and none is lost", async () => {
  await using primary = await ownRedis();
  await using replica = await ownRedis();
  for (const { url } of [primary, replica]) {
    await askRedis(url, "CONFIG SET masterauth secret");
    await askRedis(url, "CONFIG SET requirepass secret");
  }
  const withPassword = (url: string) => url.replace("redis://", "redis://:secret@");
  const [old, next] = [withPassword(primary.url), withPassword(replica.url)];
  await askRedis(next, `REPLICAOF ${new URL(old).host.replace(":", " ")}`);
  await expect.poll(() => askRedis(next, "INFO replication")).toContain("master_link_status:up");
  const more = ["sentinel auth-pass main secret", "requirepass other", "sentinel sentinel-pass other"];
  await using sentinels = await startSentinels(primary.url, "main", more);
  // Only sentinels that know each other and the replica can agree.
  for (const host of sentinels.hosts) {
    const ask = () => askRedis(`redis://:other@${host}`, "SENTINEL MASTER main");
    await expect
      .poll(ask, { timeout: 20_000 })
      .toMatch(/num-slaves\r\n\$\d+\r\n1\r\n[\s\S]*num-other-sentinels\r\n\$\d+\r\n2/);
  }

  const url = `redis+sentinel://:secret@127.0.0.1:1,${sentinels.hosts.join()}/main?sentinel-password=other`;
  await using under = queueUnderTest({ url, server: old });
  const queue = under.queue();
  const completions = under.completions();
  const [finish, held] = [Promise.withResolvers<void>(), randomUUID()];
  const ran: string[] = [];
  under.worker(async (jobId) => {
    if (jobId === held) await finish.promise;
    ran.push(jobId);
    under.finished.add(jobId);
  });
  const permits = under.permits(2);
  const asks = { accountId: "account", pays: true };
  (await permits.take(asks, new AbortController().signal)).release();
  await under.ready();
  await queue.enqueue(held);
  const wait = completions.wait(held, { deadline: inMs(120_000) });
  await expect.poll(() => queue.count()).toBe(1);

  await primary.kill();
  const during = randomUUID();
  const waitDuring = completions.wait(during, { deadline: inMs(120_000) });
  const enqueued = () =>
    queue.enqueue(during).then(
      () => true,
      () => false,
    );
  // Where a busy machine splits the first vote, the sentinels vote again after ten seconds.
  await expect.poll(enqueued, { timeout: 60_000 }).toBe(true);
  finish.resolve();
  expect(await wait).toBe("finished");
  expect(await waitDuring).toBe("finished");
  // An attempt whose reply is lost may add the job too, so it can run a second time: PostgreSQL's claim refuses that.
  expect(ran).toContain(during);
  const permit = await permits.take(asks, AbortSignal.timeout(20_000));
  permit.release();
  expect(await askRedis(next, "ROLE")).toContain("master");

  // The old primary comes back as one, and the sentinels make it a replica: nothing of ours may be written there.
  await primary.restart();
  await askRedis(old, "CONFIG SET masterauth secret");
  const after = randomUUID();
  const waitAfter = completions.wait(after, { deadline: inMs(60_000) });
  await queue.enqueue(after);
  expect(await waitAfter).toBe("finished");
  const clients = await askRedis(primary.url, "CLIENT LIST").catch(() => "");
  expect(clients).not.toContain(`name=${under.options.prefix}:`);
});
