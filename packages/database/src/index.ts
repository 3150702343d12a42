export { migrateDatabase } from "./connection/migrate-database.ts";
export { type Database, type Db, openDatabase, type Tx } from "./connection/open-database.ts";
