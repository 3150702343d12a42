import { Agent, request } from "node:http";
import { answerTasks } from "../processes/answer-tasks.ts";

/** So many calls, `inFlight` at once, each with the same body. */
export type CallsTask = { calls: number; inFlight: number };

/** The job of a call, and when the first byte of its response arrived, in milliseconds since 1970. */
export type FirstByte = { jobId: string; at: number };

// This file is the entry point of a process that calls the service, so that nothing else delays its measurements.
const [baseUrl = "", apiKey = "", clip = ""] = process.argv.slice(2);
const { readFile } = await import("node:fs/promises");
const { formOf } = await import("../overhead/extract.ts");
const { body, contentType } = formOf(await readFile(clip));
const agent = new Agent({ keepAlive: true });
const headers = { authorization: `Bearer ${apiKey}`, "content-type": contentType, "content-length": body.length };

answerTasks(async ({ calls, inFlight }: CallsTask): Promise<FirstByte[]> => {
  let left = calls;
  const answers: FirstByte[] = [];
  const line = async () => {
    while (left-- > 0) answers.push(await call());
  };
  await Promise.all(Array.from({ length: inFlight }, line));
  return answers;
});

function call(): Promise<FirstByte> {
  return new Promise((resolve, reject) => {
    request(`${baseUrl}/v1/extract`, { agent, method: "POST", headers }, (response) => {
      const at = performance.timeOrigin + performance.now();
      let text = "";
      response.setEncoding("utf8").on("data", (part) => {
        text += part;
      });
      response.once("end", () => {
        if (response.statusCode === 200) resolve({ jobId: (JSON.parse(text) as { id: string }).id, at });
        else reject(new Error(`POST /v1/extract answers ${response.statusCode}: ${text.slice(0, 500)}`));
      });
    })
      .once("error", reject)
      .end(body);
  });
}
