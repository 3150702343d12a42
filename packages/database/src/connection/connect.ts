import postgres from "postgres";

type Options = {
  max: number;
  applicationName: string;
  /** Longest a statement may run; 0 for no limit. */
  statementSeconds: number;
  /** Longest a statement may wait for a lock. */
  lockSeconds: number;
};

/** A postgres.js client that hands `json` over as text, both ways, and waits for nothing without end. */
export function connect(url: string, options: Options) {
  return postgres(url, {
    max: options.max,
    connect_timeout: 10,
    idle_timeout: 60,
    fetch_types: false,
    onnotice: () => {},
    types: { json: { to: 114, from: [114], serialize: (text: string) => text, parse: (text: string) => text } },
    connection: {
      application_name: options.applicationName,
      TimeZone: "UTC",
      statement_timeout: options.statementSeconds * 1000,
      lock_timeout: options.lockSeconds * 1000,
      idle_in_transaction_session_timeout: 60_000,
    },
  });
}
