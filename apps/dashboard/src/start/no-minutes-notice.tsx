import { useQuery } from "@tanstack/react-query";
import type { Overview } from "@video-to-json/contract/dashboard/account";
import { sessionQuery } from "../api/queries.ts";
import { Notice } from "../design/display.tsx";

/** Says how an account whose minutes cannot pay a job gets more. */
export function NoMinutesNotice({ overview }: { readonly overview: Overview | undefined }) {
  const { data: session } = useQuery(sessionQuery);
  if (!overview || !session) return null;
  const left = overview.balance_seconds - overview.held_seconds;
  if (left >= session.limits.minimum_billed_seconds) return null;
  return (
    <Notice tone="warn" title={overview.granted_seconds === 0 ? "This account has no free minutes" : "No minutes left"}>
      {overview.granted_seconds === 0 && (
        <>
          The mailbox has had them before, or the free minutes of today, of this network or of this mail provider are
          used up.{" "}
        </>
      )}
      <WithLinks text={session.limits.more_minutes} /> The account is <code>{session.email}</code>.
    </Notice>
  );
}

/** A text whose https addresses and e-mail addresses are links. */
function WithLinks({ text }: { readonly text: string }) {
  const parts = text.split(/(https?:\/\/[^\s<>"]*[\w/]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+)/);
  return parts.map((part, at) => {
    if (at % 2 === 0) return part;
    return (
      <a key={part} className="text-link" href={part.startsWith("http") ? part : `mailto:${part}`} rel="noreferrer">
        {part}
      </a>
    );
  });
}
