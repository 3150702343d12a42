import { subscribe } from "node:diagnostics_channel";

// Loaded into a program that sends no headers of one's choice: node --import. Every request it makes carries the key.
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
