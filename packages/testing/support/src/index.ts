export { type Exchange, exchangeOf, recordExchanges, type Sent, sendRequest } from "./contract/exchange.ts";
export { codeOf, documentedCases, type InterfaceDocument, readContract } from "./contract/read-contract.ts";
export * from "./running.ts";
export { createTestDatabase, type TemplateServer, type TestDatabase, testRedis } from "./servers/test-servers.ts";
export { makeTrickyVideos, type TrickyVideo } from "./videos/tricky-videos.ts";
