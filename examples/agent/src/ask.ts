import { createMCPClient } from "@ai-sdk/mcp";
import { generateText, isStepCount, type LanguageModel } from "ai";

type Service = { url: string; apiKey: string };

/**
 * Answers a question about a video with a model that may call the tools of the service. The question must contain the
 * address of the video, which the service fetches.
 */
export async function ask(question: string, model: LanguageModel, { url, apiKey }: Service): Promise<string> {
  const client = await createMCPClient({
    transport: { type: "http", url: `${url}/v1/mcp`, headers: { Authorization: `Bearer ${apiKey}` } },
  });
  try {
    const tools = await client.tools();
    const { text } = await generateText({ model, tools, prompt: question, stopWhen: isStepCount(6) });
    return text;
  } finally {
    await client.close();
  }
}
