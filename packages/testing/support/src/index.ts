export { type Exchange, exchangeOf, recordExchanges, type Sent, sendRequest } from "./contract/exchange.ts";
export { codeOf, documentedCases, type InterfaceDocument, readContract } from "./contract/read-contract.ts";
export { createTestDatabase, type TemplateServer, type TestDatabase } from "./database/test-database.ts";
export * from "./running.ts";
export { testRedis } from "./servers/test-redis.ts";
export { makeTrickyVideos, type TrickyVideo } from "./videos/tricky-videos.ts";
