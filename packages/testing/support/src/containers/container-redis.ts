import { redisAnswers } from "../servers/redis-answers.ts";
import type { ContainerServer } from "./start-container-server.ts";

/** Redis as a container runs it. It keeps an append-only file, so a restart forgets nothing. */
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
