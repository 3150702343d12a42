export { type BorrowedService, borrowService } from "./lending/borrow-service.ts";
export { type Extraction, untilNothingIsLeft } from "./service.ts";
export { type Service, startService } from "./start-service.ts";
export type { TestVideo } from "./test-video.ts";
