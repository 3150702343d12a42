import { type HostAnswer, HostConsent, type HostRequest } from "@video-to-json/contract/dashboard/keys";
import { type Db, saveConsent } from "@video-to-json/database";
import { answerUrl, baseOf, placeOf, readQuestion } from "../hosts/host-request.ts";
import type { Consent } from "../hosts/host-sign-in.ts";
import { createBodyReader, type ReadBodyDeps } from "../read-body.ts";
import { accountOf, type SignIn } from "../sign-in/require-session.ts";
import type { DashboardRoute } from "./dashboard-route.ts";
import { requireRoomForKey } from "./keys.ts";

type Deps = { readonly signIn: SignIn; readonly publicUrl: string | undefined };

/** A host fetches its key at once. */
const codeSeconds = 60;

/** `GET connect`: which host asks for a key of the account. */
export const hostRequestRoute: DashboardRoute<Deps> = {
  method: "get",
  path: "/connect",
  handle: (deps) => async (request, response) => {
    const base = baseOf(deps.publicUrl, request);
    const question = await readQuestion(deps, String(request.query.request ?? ""), base);
    response.json({
      name: question.host.name,
      to: placeOf(question.redirectUri),
      scope: question.scope,
      deny_url: answerUrl(question, base, { error: "access_denied" }),
    } satisfies HostRequest);
  },
};

/** `POST connect`: the reader agrees that the host gets a key. The key does not exist before the host fetches it. */
export const connectHostRoute: DashboardRoute<
  Deps & ReadBodyDeps & { readonly db: Db; readonly databaseRetryMs: number }
> = {
  method: "post",
  path: "/connect",
  needsFreshSession: true,
  handle: (deps) => {
    const readBody = createBodyReader(deps, HostConsent);
    return async (request, response) => {
      const { accountId } = accountOf(response);
      const { request: packed, key } = await readBody(request, response);
      const base = baseOf(deps.publicUrl, request);
      const question = await readQuestion(deps, packed, base);
      const { clientId, redirectUri, challenge } = question;
      const { name, scope, monthly_limit_minutes: monthlyMinutes, ends_at: endsAt } = key;
      await requireRoomForKey(deps, { accountId, endsAt: endsAt === null ? null : new Date(endsAt) });
      const consent = { accountId, clientId, redirectUri, challenge, name, scope, monthlyMinutes, endsAt };
      const code = await saveConsent(deps.db, consent satisfies Consent, { seconds: codeSeconds });
      response.json({ url: answerUrl(question, base, { code }) } satisfies HostAnswer);
    };
  },
};
