/** What global-setup.ts hands to the tests. */
export type Provided = {
  /** URL of the Postgres server, and the name of the migrated database to copy. */
  postgres: { server: string; template: string };
  redis: { url: string };
};

declare module "vitest" {
  interface ProvidedContext extends Provided {}
}
