import type { TemplateDatabase } from "./database/template-database.ts";

declare module "vitest" {
  /** The values that global-setup.ts provides to the tests. */
  interface ProvidedContext {
    /** URL of the Postgres server, and the migrated database to copy. */
    postgres: { server: string; template: TemplateDatabase };
    redis: { url: string };
  }
}
