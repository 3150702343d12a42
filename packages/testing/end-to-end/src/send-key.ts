import { subscribe } from "node:diagnostics_channel";

// For a program without an option for headers: node --import loads this file, which adds the key to each request.
const authorization = process.env.MCP_AUTHORIZATION ?? "";
subscribe("undici:request:create", (message) => {
  (message as { request: { addHeader(name: string, value: string): void } }).request.addHeader(
    "authorization",
    authorization,
  );
});
subscribe("http.client.request.created", (message) => {
  (message as { request: { setHeader(name: string, value: string): void } }).request.setHeader(
    "authorization",
    authorization,
  );
});
