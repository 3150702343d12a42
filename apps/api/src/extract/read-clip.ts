import { type Clip, type Detail, details, Problem, timestampSeconds } from "@video-to-json/contract";
import { readMembers } from "@video-to-json/schema";

/**
 * Reads the JSON text of `clip`. Returns null, which is the whole video, for a clip without bounds and for a missing
 * text. A later step checks whether the clip is within the video. Throws invalid_request.
 */
export function readClip(text: string | undefined): Clip | null {
  if (!text?.trim()) return null;
  const members = membersOf(text);
  for (const name of members.keys()) {
    if (name !== "start" && name !== "end") throw invalidClip("has other members than `start` and `end`. Remove them.");
  }
  const startSeconds = secondsOf("start", members.get("start")?.value) ?? 0;
  const endSeconds = secondsOf("end", members.get("end")?.value);
  if (endSeconds !== null && endSeconds <= startSeconds)
    throw invalidClip("ends before it has begun. Give a later end.");
  return startSeconds === 0 && endSeconds === null ? null : { startSeconds, endSeconds };
}

/** Reads `detail`. Throws invalid_request. */
export function readDetail(text: string | undefined): Detail {
  const word = text?.trim() || "standard";
  const detail = details.find((one) => one === word);
  if (detail) return detail;
  throw new Problem("invalid_request", {
    reason: `\`detail\` is not one of the words ${details.join(", ")}. Send one of them.`,
  });
}

function membersOf(text: string): ReturnType<typeof readMembers> {
  try {
    const members = readMembers(text, { maxValues: 10 });
    return new Map([...members].filter(([, { value }]) => value !== null));
  } catch {
    throw invalidClip(
      'is not a JSON object with one `start`, one `end`, or both. Send {"start":"MM:SS","end":"MM:SS"}.',
    );
  }
}

function secondsOf(name: string, value: unknown): number | null {
  if (value === undefined) return null;
  const seconds = typeof value === "string" ? timestampSeconds(value) : undefined;
  if (seconds !== undefined) return seconds;
  throw invalidClip(`has a \`${name}\` that is not MM:SS. Write two digits each, such as "01:05".`);
}

function invalidClip(fault: string): Problem {
  return new Problem("invalid_request", { reason: `\`clip\` ${fault}` });
}
