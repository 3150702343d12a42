import "./keys.css";
import { queryOptions, useMutation, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import type { HostAnswer, HostRequest, NewKey } from "@video-to-json/contract/dashboard/keys";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { sessionQuery } from "../api/queries.ts";
import { read, send } from "../api/request.ts";
import { Card } from "../design/card.tsx";
import { Page } from "../design/page.tsx";
import { SignInAgain, useIsStale } from "../sign-in/sign-in-again.tsx";
import { KeyForm } from "./key-form.tsx";

const hostRequestQuery = (request: string) =>
  queryOptions({
    queryKey: ["connect", request],
    queryFn: ({ signal }) => read<HostRequest>(`connect?${new URLSearchParams({ request })}`, signal),
    retry: false,
  });

/** Asks the reader whether a program that has only the address of the service gets a key of the account. */
export function ConnectPage() {
  const { request } = useSearch({ from: "/signed-in/connect" });
  const { data: host, error } = useQuery(hostRequestQuery(request));
  const { data: session } = useQuery(sessionQuery);
  const isStale = useIsStale();
  const agree = useMutation({
    mutationFn: (key: NewKey) => send<HostAnswer>("POST", "connect", { request, key }),
    onSuccess: ({ url }) => location.assign(url),
  });
  return (
    <Page
      title="Connect a program"
      description="A program asks for a key of your account. Refuse if you did not start this yourself a moment ago."
    >
      {error && <ProblemNotice problem={error} />}
      {host && (
        <Card
          title={`“${host.name}” asks for a key`}
          note={
            <>
              The program chose this name itself. The key goes to{" "}
              <strong>{host.to ?? "a program on this computer"}</strong> and uses the minutes of{" "}
              <strong>{session?.email}</strong>.
            </>
          }
          flush
        >
          {isStale ? (
            <div className="dialog-body">
              <SignInAgain next={`/connect?${new URLSearchParams({ request })}`} />
            </div>
          ) : (
            <KeyForm
              proposed={host}
              action="Allow"
              problem={agree.error}
              busy={agree.isPending || agree.isSuccess}
              onSubmit={(key) => agree.mutate(key)}
              onCancel={() => location.assign(host.deny_url)}
            />
          )}
        </Card>
      )}
    </Page>
  );
}
