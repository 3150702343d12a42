import { once } from "node:events";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import type { ServiceFacts } from "../service.ts";
import { type LentService, lendServices } from "./lend-services.ts";

async function openLender({ limit = 2, reset = async () => {}, fails = false } = {}) {
  const names: string[] = [];
  const stopped: string[] = [];
  const start = async (): Promise<LentService> => {
    if (fails) throw new Error("it cannot start");
    const name = String(names.push("service"));
    return { facts: { baseUrl: name } as ServiceFacts, reset, stop: async () => void stopped.push(name) };
  };
  const lender = await lendServices(start, limit);
  return { port: lender.port, names, stopped, [Symbol.asyncDispose]: () => lender.close(), close: lender.close };
}

async function borrow(port: number) {
  const socket = connect(port, "127.0.0.1");
  const [line] = await once(createInterface(socket), "line");
  const loan = JSON.parse(String(line)) as { facts?: ServiceFacts; error?: string };
  return { name: loan.facts?.baseUrl, error: loan.error, giveBack: () => socket.destroy() };
}

test("no two borrowers have one service at a time, and a service that was given back is lent again", async () => {
  await using lender = await openLender();
  const [first, second] = await Promise.all([borrow(lender.port), borrow(lender.port)]);
  expect([first.name, second.name].sort()).toEqual(["1", "2"]);
  const third = borrow(lender.port);
  second.giveBack();
  expect((await third).name).toBe(second.name);
  expect(lender.names.length).toBe(2);
});

test("a service that cannot be made as new is stopped, and another one starts", async () => {
  const reset = () => Promise.reject(new Error("a job does not end"));
  await using lender = await openLender({ limit: 1, reset });
  (await borrow(lender.port)).giveBack();
  expect((await borrow(lender.port)).name).toBe("2");
  expect(lender.stopped).toEqual(["1"]);
});

test("a service that does not start is an error of its borrower", async () => {
  await using lender = await openLender({ limit: 1, fails: true });
  expect((await borrow(lender.port)).error).toContain("it cannot start");
  expect((await borrow(lender.port)).error).toContain("it cannot start");
});

test("the end of the lender stops lent and free services; without a borrower no service starts", async () => {
  const unused = await openLender();
  await unused.close();
  expect(unused.names).toEqual([]);
  const lender = await openLender();
  const [first] = await Promise.all([borrow(lender.port), borrow(lender.port)]);
  first.giveBack();
  await lender.close();
  expect(lender.stopped.sort()).toEqual(["1", "2"]);
});
