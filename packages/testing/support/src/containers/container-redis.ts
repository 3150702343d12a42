import { redisAnswers } from "../servers/redis-answers.ts";
import type { ContainerServer } from "./start-container-server.ts";

/** Runs Redis in a container. Its append-only file keeps the data through a restart. */
export const containerRedis: ContainerServer = {
  name: "redis",
  image: "redis:8",
  port: 6379,
  volume: "/data",
  readyLine: /Ready to accept connections/,
  environment: () => ({}),
  command: (password) => [
    "redis-server",
    ...["--requirepass", password, "--save", "", "--appendonly", "yes", "--maxmemory-policy", "noeviction"],
    ...["--bind", "0.0.0.0"],
  ],
  urlAt: (port, password) => `redis://:${password}@127.0.0.1:${port}`,
  probe: redisAnswers,
};
