export { createTestDatabase, type TestDatabase } from "./database/test-database.ts";
export type { Emulator, EmulatorOptions, EmulatorState } from "./emulator/emulator.ts";
export { startEmulator } from "./emulator/start-emulator.ts";
export { freePort } from "./processes/free-port.ts";
export { repositoryRoot } from "./repository-root.ts";
export type { Server, ServerOptions } from "./servers/server.ts";
export { startPostgres } from "./servers/start-postgres.ts";
export { startRedis } from "./servers/start-redis.ts";
export { testRedis } from "./servers/test-redis.ts";
