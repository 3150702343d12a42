/** The moment from which it is known which job a call is about, if any. */
export type Admission = {
  /** Resolves when it is known, or soon in any case: the caller must hear that the call lives. */
  readonly done: Promise<void>;
  told(): void;
};

const longestMs = 1000;

/** Waits for `told`: the head of a response names the job (`Job-Id`), and cannot once it is out. */
export function openAdmission(): Admission {
  const { promise, resolve } = Promise.withResolvers<void>();
  const late = setTimeout(resolve, longestMs);
  return {
    done: promise,
    told: () => {
      clearTimeout(late);
      resolve();
    },
  };
}
