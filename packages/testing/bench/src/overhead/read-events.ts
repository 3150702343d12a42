import type { JobStage } from "@video-to-json/contract";

/**
 * Returns a function that sends a JSON request as a held call with events, calls `onStage` with each stage of its job, and
 * returns the id of the job when it has succeeded.
 */
export function createStageReader({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }) {
  return async (body: object, onStage: (stage: JobStage) => void): Promise<string> => {
    const response = await fetch(`${baseUrl}/v1/extract`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        accept: "text/event-stream",
      },
      body: JSON.stringify(body),
    });
    let text = "";
    let jobId = "";
    for await (const part of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      text += part;
      const events = text.split("\n\n");
      text = events.pop() ?? "";
      for (const event of events) {
        const [, name, data = "{}"] = /^event: (\w+)\ndata: (.*)$/m.exec(event) ?? [];
        if (name === "admitted") jobId = (JSON.parse(data) as { id: string }).id;
        if (name === "progress") onStage((JSON.parse(data) as { stage: JobStage }).stage);
        if (name === "result") return jobId;
        if (name === "error") throw new Error(`The job failed: ${data}`);
      }
    }
    throw new Error(`POST /v1/extract answers ${response.status}: ${text.slice(0, 500)}`);
  };
}
