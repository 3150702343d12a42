import { answerText, type Handler } from "./start-fault-server.ts";

/** The id of the job in `answerText`. */
export const jobId = JSON.parse(answerText).id as string;

/** The text of an event with JSON as its data. */
export const event = (name: string, data: object | string, retryMs?: number) =>
  `event: ${name}\n${retryMs === undefined ? "" : `retry: ${retryMs}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

/** The event that names the job. */
export const admitted = (replayed = false) => event("admitted", { id: jobId, replayed });

/** Answers with events after the whole request body has arrived; then ends the response, or breaks the connection. */
export function streams(text: string, end: "ends" | "breaks" = "ends"): Handler {
  return (request, response) => {
    request.on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(text, () => (end === "ends" ? response.end() : request.socket.resetAndDestroy()));
    });
  };
}
