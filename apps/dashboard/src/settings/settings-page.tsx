import "./settings.css";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { MinuteMails, Retention, Session } from "@video-to-json/contract/dashboard/account";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { minuteMailsQuery, sessionQuery, sessionsQuery, signInQuery } from "../api/queries.ts";
import { send } from "../api/request.ts";
import { useLeaveAccount } from "../app/use-leave-account.ts";
import { Button } from "../design/button.tsx";
import { Card } from "../design/card.tsx";
import { Skeleton } from "../design/display.tsx";
import { dateText, dateTimeText } from "../design/format.ts";
import { Page } from "../design/page.tsx";
import { Select } from "../design/select.tsx";
import { DeleteAccountCard } from "./delete-account-card.tsx";
import { PasskeysCard } from "./passkeys-card.tsx";

const choices = [
  { value: "keep", label: "Keep for ever", days: null },
  { value: "30", label: "Delete after 30 days", days: 30 },
  { value: "7", label: "Delete after 7 days", days: 7 },
  { value: "1", label: "Delete after 1 day", days: 1 },
] as const;
type Choice = (typeof choices)[number]["value"];

/** How long the contents of jobs are kept. */
function RetentionCard({ session }: { readonly session: Session | undefined }) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (days: Retention["days"]) => send<Retention>("PUT", "account/retention", { days }),
    onSuccess: ({ days }) =>
      client.setQueryData(sessionQuery.queryKey, (before) => before && { ...before, retention_days: days }),
  });
  const days = change.isPending ? change.variables : (session?.retention_days ?? null);
  const value: Choice = choices.find((choice) => choice.days === days)?.value ?? "keep";
  return (
    <Card title="Contents of jobs">
      <div className="setting">
        <p className="muted">
          Schema, instructions and answers of finished jobs. Videos are deleted when their job finishes, whatever you
          choose here. What a job cost stays in the ledger.
        </p>
        <div className="setting-control">
          <Select
            label="Keep the contents of jobs"
            options={choices}
            value={value}
            disabled={!session}
            onChange={(next: Choice) => change.mutate(choices.find((choice) => choice.value === next)?.days ?? null)}
          />
          <span className="visually-hidden" role="status">
            {change.isSuccess ? "Saved" : ""}
          </span>
        </div>
      </div>
      {change.error && <ProblemNotice problem={change.error} />}
    </Card>
  );
}

const mailChoices = [
  { value: "on", label: "Send mails" },
  { value: "off", label: "Send none" },
] as const;

/** Whether mails about used minutes come. A service without a mail server sends none. */
function MailsCard() {
  const client = useQueryClient();
  const { data: signIn } = useQuery(signInQuery);
  const { data } = useQuery(minuteMailsQuery);
  const change = useMutation({
    mutationFn: (minutes: boolean) => send<MinuteMails>("PUT", "account/mails", { minutes }),
    onSuccess: (saved) => client.setQueryData(minuteMailsQuery.queryKey, saved),
  });
  const isOn = change.isPending ? change.variables : (data?.minutes ?? true);
  return (
    <Card title="Mails">
      <div className="setting">
        <p className="muted">
          {signIn && signIn.mail !== "smtp"
            ? "This service has no mail server, so it sends none."
            : "One mail when 80 percent of the minutes of your account, or of a key in this month, are used, and one when all are used."}
        </p>
        <div className="setting-control">
          <Select
            label="Mails about used minutes"
            options={mailChoices}
            value={isOn ? "on" : "off"}
            disabled={!data || signIn?.mail !== "smtp"}
            onChange={(next: "on" | "off") => change.mutate(next === "on")}
          />
        </div>
      </div>
      {change.error && <ProblemNotice problem={change.error} />}
    </Card>
  );
}

/** The settings of an account, and its deletion. */
export function SettingsPage() {
  const { data: session, error } = useQuery(sessionQuery);
  return (
    <Page title="Settings" description="Your account and what is kept for it.">
      <div className="stack settings">
        {error && <ProblemNotice problem={error} />}
        <Card title="Account">
          <dl className="facts account-facts">
            <div>
              <dt>E-mail</dt>
              <dd>{session?.email ?? <Skeleton width={10} />}</dd>
            </div>
            <div>
              <dt>Since</dt>
              <dd>{session ? dateText(session.created_at) : <Skeleton width={6} />}</dd>
            </div>
            <div>
              <dt>Account id</dt>
              <dd className="mono">{session?.account_id ?? <Skeleton width={18} />}</dd>
            </div>
          </dl>
        </Card>
        <RetentionCard session={session} />
        <MailsCard />
        <PasskeysCard />
        <SessionsCard />
        <DeleteAccountCard session={session} />
      </div>
    </Page>
  );
}

/** Lists the sessions of the account, and ends one of them or all. */
function SessionsCard() {
  const client = useQueryClient();
  const leaveAccount = useLeaveAccount();
  const { data } = useQuery(sessionsQuery);
  const end = useMutation({
    mutationFn: (id: string) => send("DELETE", `sessions/${id}`),
    onSuccess: () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
  const revoke = useMutation({
    mutationFn: () => send("POST", "auth/revoke-sessions", {}),
    onSuccess: leaveAccount,
  });
  return (
    <Card title="Sessions">
      <ul className="sessions">
        {data?.sessions.map(({ id, created_at, last_used_at, is_current }) => (
          <li key={id} className="setting">
            <span>
              Signed in {dateTimeText(created_at)}
              <span className="field-note">
                {is_current ? "This browser" : `Last used ${dateText(last_used_at)} or the day after`}
              </span>
            </span>
            {!is_current && (
              <Button size="small" busy={end.isPending && end.variables === id} onClick={() => end.mutate(id)}>
                End<span className="visually-hidden"> the session of {dateTimeText(created_at)}</span>
              </Button>
            )}
          </li>
        ))}
      </ul>
      {end.error && <ProblemNotice problem={end.error} />}
      <div className="setting">
        <p className="muted">Signs you out in every browser, here too. API keys stay valid.</p>
        <div className="setting-control">
          <Button busy={revoke.isPending} onClick={() => revoke.mutate()}>
            Sign out everywhere
          </Button>
        </div>
      </div>
      {revoke.error && <ProblemNotice problem={revoke.error} />}
    </Card>
  );
}
