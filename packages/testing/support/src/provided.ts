declare module "vitest" {
  /** What global-setup.ts hands to the tests. */
  interface ProvidedContext {
    /** URL of the Postgres server, and the name of the migrated database to copy. */
    postgres: { server: string; template: string };
    redis: { url: string };
  }
}

export {};
