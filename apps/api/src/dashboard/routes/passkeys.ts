import { Problem } from "@video-to-json/contract";
import { NewPasskey, type PasskeyRecords } from "@video-to-json/contract/dashboard/account";
import { type Db, listPasskeys, removePasskey, retryWhileUnavailable } from "@video-to-json/database";
import type { Response } from "express";
import { uuidOf } from "../../routes/job-id-parameter.ts";
import { createBodyReader, type ReadBodyDeps } from "../read-body.ts";
import { type AskSignInDeps, accountOf, askSignIn, Refused } from "../sign-in/require-session.ts";
import type { DashboardRoute } from "./dashboard-route.ts";

type Deps = AskSignInDeps & ReadBodyDeps & { readonly db: Db; readonly databaseRetryMs: number };

/** A person needs one passkey for each device, and has fewer devices than this. */
const maxPasskeys = 20;

/** `GET passkeys`: the passkeys of the account, newest first. */
export const passkeysRoute: DashboardRoute<Deps> = {
  method: "get",
  path: "/passkeys",
  handle: (deps) => async (_request, response) => {
    const rows = await passkeysOf(deps, response);
    const passkeys = rows.map(({ id, name, createdAt }) => ({ id, name, created_at: createdAt.toISOString() }));
    response.json({ passkeys } satisfies PasskeyRecords);
  },
};

/** `POST passkeys/options`: what a browser needs to make a passkey, within five minutes. */
export const passkeyOptionsRoute: DashboardRoute<Deps> = {
  method: "post",
  path: "/passkeys/options",
  needsFreshSession: true,
  handle: (deps) => async (request, response) => {
    if ((await passkeysOf(deps, response)).length >= maxPasskeys) {
      throw new Problem("invalid_request", { reason: `An account has ${maxPasskeys} passkeys at most. Remove one.` });
    }
    response.json(await askSignIn(deps, { request, response }, "/passkey/generate-register-options"));
  },
};

/** `POST passkeys`: adds the passkey that the browser made. */
export const addPasskeyRoute: DashboardRoute<Deps> = {
  method: "post",
  path: "/passkeys",
  needsFreshSession: true,
  handle: (deps) => {
    const readBody = createBodyReader(deps, NewPasskey);
    return async (request, response) => {
      const { name, credential } = await readBody(request, response);
      const body = { name, response: credential };
      await askSignIn(deps, { request, response }, "/passkey/verify-registration", { body }).catch((error: unknown) => {
        if (!(error instanceof Refused)) throw error;
        throw new Problem("invalid_request", {
          reason: "The passkey was not accepted. Try again, or on another device.",
        });
      });
      response.status(201).json({ success: true });
    };
  },
};

/** `DELETE passkeys/{id}`: the passkey signs in no more, at once. */
export const removePasskeyRoute: DashboardRoute<Deps> = {
  method: "delete",
  path: "/passkeys/{id}",
  needsFreshSession: true,
  handle:
    ({ db, databaseRetryMs: ms }) =>
    async (request, response) => {
      const { accountId } = accountOf(response);
      const id = uuidOf(request, "The id of the passkey is not a UUID. Send its `id`.");
      if (!(await retryWhileUnavailable(() => removePasskey(db, { id, accountId }), { ms })))
        throw new Problem("not_found", {});
      response.status(204).end();
    },
};

function passkeysOf({ db, databaseRetryMs: ms }: Deps, response: Response) {
  return retryWhileUnavailable(() => listPasskeys(db, accountOf(response).accountId), { ms });
}
