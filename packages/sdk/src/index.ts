export type { VideoToJson } from "./client.ts";
