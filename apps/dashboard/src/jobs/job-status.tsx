import { Badge, type Tone } from "../design/badge.tsx";

const looks: Readonly<Record<string, { tone: Tone; word: string }>> = {
  queued: { tone: "neutral", word: "Queued" },
  running: { tone: "busy", word: "Running" },
  succeeded: { tone: "good", word: "Succeeded" },
  failed: { tone: "bad", word: "Failed" },
};

/** The state of a job. */
export function JobStatus({ status }: { readonly status: string }) {
  const { tone, word } = looks[status] ?? { tone: "neutral", word: status };
  return <Badge tone={tone}>{word}</Badge>;
}
