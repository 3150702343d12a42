import { askRedis } from "./ask-redis.ts";

/** Resolves when the Redis at a URL answers PING. Throws when it does not, or is still loading. */
export async function redisAnswers(url: string): Promise<void> {
  const answer = await askRedis(url, "PING");
  if (answer !== "+PONG") throw new Error(`Redis answers ${answer}, not +PONG.`);
}
