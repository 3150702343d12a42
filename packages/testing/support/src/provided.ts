declare module "vitest" {
  /** The values that global-setup.ts provides to the tests. */
  interface ProvidedContext {
    /** URL of the Postgres server, and the name of the migrated database to copy. */
    postgres: { server: string; template: string };
    redis: { url: string };
  }
}

export {};
