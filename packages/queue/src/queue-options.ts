/** What everything in this package is opened with. */
export type QueueOptions = {
  /** `redis://` or `rediss://` address of the Redis server. */
  redisUrl: string;
  /** Stands before every key, so that several installations can share one server. */
  prefix: string;
  /** Told what goes wrong in the background, the same fault at most once in ten seconds. Never throws. */
  onError(error: Error): void;
};
