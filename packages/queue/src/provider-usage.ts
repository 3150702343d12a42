import { createErrorReport, openRedisConnection, type QueueOptions } from "./redis/redis-connection.ts";

/** What a model may take: questions and tokens a minute, questions a day (UTC), and dollars. Undefined: no limit. */
type ModelLimit = { questions?: number; tokens?: number; questionsADay?: number; dollarsInTenMinutes?: number };

/** What all processes together use of the provider. */
export type ProviderUsage = {
  spending: {
    add(dollars: number): void;
    /** The share of the day's dollars that is spent, as of the last count; 0 without a limit. */
    share(): number;
  };
  accounts: {
    add(accountId: string, dollars: number): void;
    /** Whether an account has cost as much as one may in a day, as of the last count; false without a limit. */
    isOver(accountId: string): boolean;
  };
  limits: {
    /** How long to wait until the model has room for a question, in milliseconds; 0 for no time. */
    waitMs(model: string, isOptional: boolean): number;
    /** Counts a question that is sent now. */
    ask(model: string): void;
    /** Counts the tokens and the price of a question that was answered. */
    use(model: string, tokens: number, dollars: number): void;
  };
  close(): Promise<void>;
};

type Options = Pick<QueueOptions, "redisUrl" | "prefix" | "onError"> & {
  /** 0: no limit. */
  dollarsPerDay: number;
  /** What one account may cost; 0: no limit. */
  dollarsPerAccountAndDay: number;
  limits: Readonly<Record<string, ModelLimit>>;
  /** The time of day in milliseconds. Tests replace it. */
  now?: () => number;
};

const windows = { minute: 60_000, "ten minutes": 600_000, day: 86_400_000 };
/** Optional questions leave this share of each limit to first questions. */
const optionalShare = 0.8;
const sendEveryMs = 1_000;

type Count = { known: number; unsent: number; keptSeconds: number; until: number };

/**
 * Opens the counts, which Redis keeps. While Redis is away, this process counts for itself; a Redis that lost its data
 * begins again.
 */
export function openProviderUsage(options: Options): ProviderUsage {
  const {
    redisUrl,
    prefix,
    onError,
    dollarsPerDay,
    dollarsPerAccountAndDay: ceiling,
    limits,
    now = Date.now,
  } = options;
  const isCounted = dollarsPerDay > 0 || ceiling > 0 || Object.keys(limits).length > 0;
  const report = createErrorReport(onError);
  const connection = isCounted ? openRedisConnection({ redisUrl, report }, "request") : undefined;
  const counts = new Map<string, Count>();
  let sending: Promise<void> | undefined;

  function countOf(name: string, window: keyof typeof windows): Count {
    const key = `${prefix}:provider:${name}:${window} ${Math.floor(now() / windows[window])}`;
    const known = counts.get(key);
    if (known) return known;
    const keptSeconds = (2 * windows[window]) / 1000;
    const count = { known: 0, unsent: 0, keptSeconds, until: now() + windows[window] };
    counts.set(key, count);
    return count;
  }

  function add(count: Count, amount: number): void {
    count.known += amount;
    count.unsent += amount;
    void send();
  }

  /** Sends what this process has counted, and learns what all have. One exchange runs at a time. */
  function send(): Promise<void> {
    sending ??= exchange().finally(() => {
      sending = undefined;
    });
    return sending;
  }

  async function exchange(): Promise<void> {
    await Promise.all([...counts].map(([key, count]) => exchangeCount(key, count)));
    for (const [key, { unsent, until }] of counts) if (unsent === 0 && until < now()) counts.delete(key);
  }

  async function exchangeCount(key: string, count: Count): Promise<void> {
    const sent = count.unsent;
    count.unsent = 0;
    try {
      const total = Number(await connection?.redis.incrbyfloat(key, sent));
      await connection?.redis.expire(key, count.keptSeconds);
      count.known = Math.max(count.known, total + count.unsent);
    } catch (error) {
      count.unsent += sent;
      report(error);
    }
  }

  const timer = connection && setInterval(() => void send(), sendEveryMs).unref();
  connection?.redis.on("ready", () => void send());

  function waitMs(model: string, isOptional: boolean): number {
    const { questions, tokens, questionsADay, dollarsInTenMinutes } = limits[model] ?? {};
    const wait = (most: number | undefined, name: string, window: keyof typeof windows) => {
      if (most === undefined) return 0;
      const isFull = countOf(`${name}:${model}`, window).known >= most * (isOptional ? optionalShare : 1);
      return isFull ? windows[window] - (now() % windows[window]) : 0;
    };
    return Math.max(
      wait(questionsADay, "questions", "day"),
      wait(dollarsInTenMinutes, "dollars of model", "ten minutes"),
      wait(questions, "questions", "minute"),
      wait(tokens, "tokens", "minute"),
    );
  }

  return {
    spending: {
      add: (dollars) => dollarsPerDay > 0 && add(countOf("dollars", "day"), dollars),
      share: () => (dollarsPerDay > 0 ? countOf("dollars", "day").known / dollarsPerDay : 0),
    },
    accounts: {
      add: (id, dollars) => ceiling > 0 && add(countOf(`dollars of ${id}`, "day"), dollars),
      isOver: (id) => ceiling > 0 && countOf(`dollars of ${id}`, "day").known >= ceiling,
    },
    limits: {
      waitMs,
      ask(model) {
        if (!limits[model]) return;
        add(countOf(`questions:${model}`, "minute"), 1);
        add(countOf(`questions:${model}`, "day"), 1);
      },
      use(model, tokens, dollars) {
        if (!limits[model]) return;
        add(countOf(`tokens:${model}`, "minute"), tokens);
        add(countOf(`dollars of model:${model}`, "ten minutes"), dollars);
      },
    },
    async close() {
      clearInterval(timer);
      await send();
      connection?.close();
    },
  };
}
