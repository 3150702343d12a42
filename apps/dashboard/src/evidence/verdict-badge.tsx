import type { EvidenceVerdict } from "@video-to-json/contract/shapes/evidence";
import { ArrowLeftRight, Check, CircleHelp, CircleSlash, X } from "lucide-react";
import { Badge, type Tone } from "../design/badge.tsx";

const verdicts = {
  confirmed: { tone: "good", words: "Confirmed", icon: Check },
  moved: { tone: "warn", words: "Moved", icon: ArrowLeftRight },
  contradicted: { tone: "bad", words: "Contradicted", icon: X },
  unconfirmed: { tone: "warn", words: "Not confirmed", icon: CircleHelp },
  not_checked: { tone: "neutral", words: "Not checked", icon: CircleSlash },
} as const satisfies Record<EvidenceVerdict, { tone: Tone; words: string; icon: unknown }>;

/** The verdict on a value: in words, with an icon and a colour. */
export function VerdictBadge({ verdict }: { readonly verdict: EvidenceVerdict }) {
  const { tone, words, icon: Icon } = verdicts[verdict];
  return (
    <Badge tone={tone} plain>
      <Icon aria-hidden="true" className="verdict-icon" />
      {words}
    </Badge>
  );
}
