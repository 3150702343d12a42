import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { passkeysQuery, signInQuery } from "../api/queries.ts";
import { send } from "../api/request.ts";
import { Button, ButtonLink } from "../design/button.tsx";
import { Card } from "../design/card.tsx";
import { dateText } from "../design/format.ts";
import { addPasskey, hasPasskeys } from "../sign-in/passkey.ts";
import { useIsStale } from "../sign-in/sign-in-again.tsx";

/** Lists the passkeys of the account, removes one of them, and makes one on this device. */
export function PasskeysCard() {
  const client = useQueryClient();
  const { data } = useQuery(passkeysQuery);
  const { data: settings } = useQuery(signInQuery);
  const isStale = useIsStale();
  const onSuccess = () => client.invalidateQueries({ queryKey: passkeysQuery.queryKey });
  const add = useMutation({ mutationFn: addPasskey, onSuccess });
  const remove = useMutation({ mutationFn: (id: string) => send("DELETE", `passkeys/${id}`), onSuccess });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    add.mutate(String(new FormData(event.currentTarget).get("name")).trim());
  };
  return (
    <Card title="Passkeys">
      <ul className="sessions">
        {data?.passkeys.map(({ id, name, created_at }) => (
          <li key={id} className="setting">
            <span>
              {name}
              <span className="field-note">Added {dateText(created_at)}</span>
            </span>
            <Button
              size="small"
              disabled={isStale}
              busy={remove.isPending && remove.variables === id}
              onClick={() => remove.mutate(id)}
            >
              Remove<span className="visually-hidden"> the passkey {name}</span>
            </Button>
          </li>
        ))}
      </ul>
      {remove.error && <ProblemNotice problem={remove.error} />}
      {!isStale && !hasPasskeys(settings) && (
        <p className="muted">Passkeys work in newer browsers, at the service's own https address.</p>
      )}
      {isStale && (
        <div className="setting">
          <p className="muted">Passkeys are added and removed shortly after a sign-in.</p>
          <ButtonLink to="/sign-in" search={{ next: "/settings" }}>
            Sign in again
          </ButtonLink>
        </div>
      )}
      {hasPasskeys(settings) && !isStale && (
        <form className="setting" onSubmit={submit}>
          <p className="muted">Signs in with the screen lock of a device, without a code by mail.</p>
          <div className="setting-control row">
            <input
              className="input"
              name="name"
              aria-label="Name of the passkey"
              defaultValue="This device"
              pattern=".*\S.*"
              maxLength={60}
              required
            />
            <Button type="submit" busy={add.isPending}>
              Add a passkey
            </Button>
          </div>
        </form>
      )}
      {add.error && <ProblemNotice problem={add.error} />}
    </Card>
  );
}
