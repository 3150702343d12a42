import { createClient, isVideoToJsonConnectionError, isVideoToJsonError } from "video-to-json";

const schema = {
  title: "string?",
  main_color: "red|green|blue|other — of the longest scene",
  cuts: [{ at: "timestamp — the first picture of the new scene" }],
} as const;

/** Seconds that this route may run: the longest job takes eight minutes. The host may allow less. */
export const maxDuration = 600;

/**
 * Answers a video in the body of the request with its scenes. The video passes through without lying in memory:
 * `fetch("/api/extract", { method: "POST", body: file })`.
 *
 * Each call spends minutes of your account, so check the caller here.
 */
export async function POST(request: Request): Promise<Response> {
  if (!request.body) return Response.json({ error: "Send a video as the body." }, { status: 400 });
  // Created in the function, because a build of Next.js loads this module without the server's environment.
  const client = createClient();
  try {
    const { data } = await client.extract({ video: request.body, schema, signal: request.signal });
    return Response.json(data);
  } catch (error) {
    if (isVideoToJsonError(error)) return Response.json({ error: error.code }, { status: error.status });
    if (isVideoToJsonConnectionError(error)) return Response.json({ error: "no_answer" }, { status: 502 });
    throw error;
  }
}
