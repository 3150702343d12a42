import type { ReactNode } from "react";

export type Tone = "neutral" | "good" | "bad" | "busy" | "warn";

/** A short state in a coloured pill. The colour only repeats the words. */
export function Badge({
  tone = "neutral",
  plain = false,
  children,
}: {
  tone?: Tone;
  plain?: boolean;
  children: ReactNode;
}) {
  const toneClass = tone === "neutral" ? "" : ` badge-${tone}`;
  return <span className={`badge${toneClass}${plain ? " badge-plain" : ""}`}>{children}</span>;
}
