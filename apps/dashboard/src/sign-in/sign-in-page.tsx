import "./sign-in.css";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import type { SignInAnswer, SignInRequest } from "@video-to-json/contract/dashboard/account";
import { useEffect, useState } from "react";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { sessionQuery, signInQuery } from "../api/queries.ts";
import { send, showAccount } from "../api/request.ts";
import { Logo } from "../app/logo.tsx";
import { rememberSignedIn } from "../app/session-hint.ts";
import { Button } from "../design/button.tsx";
import { Notice } from "../design/display.tsx";
import { minutesText } from "../design/format.ts";
import { CodeForm } from "./code-form.tsx";
import { EmailForm } from "./email-form.tsx";
import { hasPasskeys, signInWithPasskey } from "./passkey.ts";
import { pathAfterSignIn, readSignInLink } from "./sign-in-link.ts";

/** The sign-in with an e-mail and the code that it receives, or with a passkey. A link may contain both of the first. */
export function SignInPage() {
  const { next } = useSearch({ from: "/sign-in" });
  const { data: settings } = useQuery(signInQuery);
  const router = useRouter();
  const client = useQueryClient();
  const [email, setEmail] = useState("");
  const [link, setLink] = useState(() => readSignInLink(location.hash));
  const [step, setStep] = useState<"email" | "code" | "link" | "confirm">(link ? "link" : "email");
  const [problem, setProblem] = useState<unknown>();

  const signIn = (request: SignInRequest) => enter(send<SignInAnswer>("POST", "auth/sign-in/email-otp", request));

  const enter = async (answer: Promise<SignInAnswer>) => {
    if (!(await answer).success) return setStep("confirm");
    rememberSignedIn(undefined);
    showAccount(undefined);
    client.clear();
    router.history.push(router.basepath + pathAfterSignIn(next));
  };

  useEffect(() => {
    document.title = "Sign in · video-to-json";
  }, []);

  // The link is used once.
  useEffect(() => {
    if (!link) return;
    history.replaceState(history.state, "", location.pathname + location.search);
    signIn({ email: link.email, otp: link.code, link: link.link }).catch((error: unknown) => {
      setEmail(link.email);
      setProblem(error);
      setStep("email");
    });
  }, []);

  return (
    <main className="sign-in">
      <div className="sign-in-box">
        <Logo />
        {step === "link" && (
          <div className="sign-in-wait" role="status">
            <span className="spinner" aria-hidden="true" /> Signing you in
          </div>
        )}
        {step === "confirm" && link && (
          <ConfirmLink
            email={link.email}
            onConfirm={() => signIn({ email: link.email, otp: link.code, link: link.link, confirmed: true })}
            onCancel={() => {
              setLink(undefined);
              setStep("email");
            }}
          />
        )}
        {step === "email" && (
          <EmailForm
            email={email}
            problem={problem === undefined ? undefined : <ProblemNotice problem={problem} />}
            sendsMail={settings?.mail !== "none"}
            onPasskey={hasPasskeys(settings) ? () => enter(signInWithPasskey()) : undefined}
            onSent={(address) => {
              setEmail(address);
              setProblem(undefined);
              setStep("code");
            }}
          />
        )}
        {step === "code" && (
          <CodeForm
            email={email}
            mail={settings?.mail === "log" ? "log" : "smtp"}
            onCode={(code) => signIn({ email, otp: code })}
            onOtherEmail={() => setStep("email")}
          />
        )}
      </div>
      <p className="sign-in-foot">
        {settings ? freeText(settings.free_seconds) : "\u00a0"} <a href="/docs">API reference</a>
      </p>
    </main>
  );
}

function freeText(seconds: number): string {
  return seconds > 0
    ? `${minutesText(seconds)} of video are free, once a mailbox. No card, no password.`
    : "No password.";
}

type ConfirmLinkProps = {
  readonly email: string;
  /** Throws the problem of a refused code. */
  readonly onConfirm: () => Promise<void>;
  readonly onCancel: () => void;
};

/** Asks before a link that was made for another browser signs in. Any page can open such a link. */
function ConfirmLink({ email, onConfirm, onCancel }: ConfirmLinkProps) {
  const { data: session } = useQuery({ ...sessionQuery, retry: false });
  const confirm = useMutation({ mutationFn: onConfirm });
  return (
    <div className="sign-in-form">
      <header>
        <h1>Sign in as this address?</h1>
        <p>
          <strong className="sign-in-address">{email}</strong>
        </p>
      </header>
      <Notice tone="warn" title="The address asked for this sign-in elsewhere">
        {session && <p>You are signed in as {session.email}. This replaces that sign-in.</p>}
        Everything that you do then belongs to the account of {email}. Continue only if you asked for it yourself.
      </Notice>
      {confirm.error && <ProblemNotice problem={confirm.error} />}
      <Button variant="primary" size="large" busy={confirm.isPending} onClick={() => confirm.mutate()}>
        Sign in as {email}
      </Button>
      <div className="row sign-in-other">
        <Button variant="quiet" size="small" onClick={onCancel}>
          Do not sign in
        </Button>
      </div>
    </div>
  );
}
