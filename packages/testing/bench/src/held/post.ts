import { type Agent, request } from "node:http";

/** The status of a response, and the code of its error if it has one. */
export type Answer = { status: number; code: string };

type Post = { key: string; body: unknown; agent: Agent };

/** Sends a JSON body to `POST /v1/extract`. A lost connection counts as an answer with status 0. */
export function post(baseUrl: string, { key, body, agent }: Post): Promise<Answer> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    request(`${baseUrl}/v1/extract`, { method: "POST", agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part) => {
        text += part;
      });
      response.once("end", () => resolve({ status: response.statusCode ?? 0, code: codeIn(text) }));
      response.once("error", (error) => resolve({ status: 0, code: error.message }));
    })
      .once("error", (error) => resolve({ status: 0, code: error.message }))
      .end(JSON.stringify(body));
  });
}

function codeIn(text: string): string {
  const { error } = JSON.parse(text) as { error?: { code: string } };
  return error?.code ?? "";
}
