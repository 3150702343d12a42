export { type BorrowedService, borrowService } from "./lending/borrow-service.ts";
export { type Extraction, type TestVideo, untilNothingIsLeft } from "./service.ts";
export { type Service, startService } from "./start-service.ts";
