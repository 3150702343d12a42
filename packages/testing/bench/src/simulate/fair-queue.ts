import TinyQueue from "tinyqueue";

/**
 * The waiting jobs, in the order of the product: packages/database/src/fair-share/claim-next-job.ts, and
 * docs/decisions/0001, "Fair share". The next account has the fewest jobs running; among equals, the one that started a
 * job longest ago; accounts that never started one come first, oldest first; within an account, the oldest job is next.
 */
export type FairQueue<Job> = {
  /** Adds a job of an account. The age of an account is that of its first job. */
  add(account: string, job: Job): void;
  /** Takes the next job that may start at a time; undefined if none may. Its account runs one more then. */
  start(now: number): Job | undefined;
  /** Ends a running job of an account. */
  end(account: string): void;
  waiting(): number;
};

type Account<Job> = {
  running: number;
  startedAt: number;
  age: number;
  jobs: Job[];
  first: number;
  /** Counts the changes, so that outdated entries of the order can be recognised. */
  version: number;
};

type Entry<Job> = { account: Account<Job>; version: number; running: number; startedAt: number };

/** Creates an empty queue. `places` are those of all workers. */
export function createFairQueue<Job>({ places }: { places: number }): FairQueue<Job> {
  const accounts = new Map<string, Account<Job>>();
  const order = new TinyQueue<Entry<Job>>(
    [],
    (a, b) => a.running - b.running || a.startedAt - b.startedAt || a.account.age - b.account.age,
  );
  let waiting = 0;
  let waitingAccounts = 0;
  let activeAccounts = 0;

  function newAccount(id: string): Account<Job> {
    const account = {
      running: 0,
      startedAt: Number.NEGATIVE_INFINITY,
      age: accounts.size,
      jobs: [],
      first: 0,
      version: 0,
    };
    accounts.set(id, account);
    return account;
  }

  const waitingOf = (account: Account<Job>) => account.jobs.length - account.first;

  function changed(account: Account<Job>): void {
    account.version++;
    if (waitingOf(account) > 0)
      order.push({ account, version: account.version, running: account.running, startedAt: account.startedAt });
  }

  /** How many jobs an account may run. There is no limit while no other account waits. */
  function share(fewestRunning: number): number {
    if (waitingAccounts < 2) return Number.POSITIVE_INFINITY;
    if (fewestRunning === 0) return 1;
    return Math.ceil(places / Math.max(1, Math.min(activeAccounts, places)));
  }

  function top(): Account<Job> | undefined {
    for (let entry = order.peek(); entry; entry = order.peek()) {
      if (entry.version === entry.account.version) return entry.account;
      order.pop();
    }
    return undefined;
  }

  return {
    add(id, job) {
      const account = accounts.get(id) ?? newAccount(id);
      const before = waitingOf(account);
      if (before === 0) waitingAccounts++;
      if (before === 0 && account.running === 0) activeAccounts++;
      account.jobs.push(job);
      waiting++;
      if (before === 0) changed(account);
    },
    start(now) {
      const account = top();
      if (!account || account.running >= share(account.running)) return undefined;
      const job = account.jobs[account.first++];
      if (account.first > 64) {
        account.jobs.splice(0, account.first);
        account.first = 0;
      }
      waiting--;
      if (waitingOf(account) === 0) waitingAccounts--;
      account.running++;
      account.startedAt = now;
      changed(account);
      return job;
    },
    end(id) {
      const account = accounts.get(id);
      if (!account) return;
      account.running--;
      if (account.running === 0 && waitingOf(account) === 0) activeAccounts--;
      changed(account);
    },
    waiting: () => waiting,
  };
}
