import { Problem, type ProblemCode, problems } from "@video-to-json/contract";
import {
  type CreatedKey,
  KeyChange,
  type KeyRecord,
  type KeyRecords,
  KeyRotation,
  NewKey,
  type Refusals,
} from "@video-to-json/contract/dashboard/keys";
import {
  changeKey,
  createKey,
  type Db,
  findKeysNamed,
  type KeyRefusal,
  type KeyRow,
  listKeys,
  listRefusedRequests,
  retryWhileUnavailable,
  revokeKey,
  rotateKey,
} from "@video-to-json/database";
import { uuidOf } from "../../routes/job-id-parameter.ts";
import { createBodyReader, type ReadBodyDeps } from "../read-body.ts";
import { keyOf } from "../rows.ts";
import { accountOf } from "../sign-in/require-session.ts";
import type { DashboardRoute } from "./dashboard-route.ts";

type Deps = { readonly db: Db; readonly databaseRetryMs: number };

/** `GET keys`: the keys of the account, newest first. */
export const keysRoute: DashboardRoute<Deps> = {
  method: "get",
  path: "/keys",
  handle:
    ({ db, databaseRetryMs: ms }) =>
    async (_request, response) => {
      const { accountId } = accountOf(response);
      const keys = await retryWhileUnavailable(() => listKeys(db, accountId), { ms });
      response.json({ keys: keys.map(toRecord).reverse() } satisfies KeyRecords);
    },
};

const maxLiveKeys = 100;

/** `POST keys`: creates a key. Only this response ever shows it. */
export const createKeyRoute: DashboardRoute<Deps & ReadBodyDeps & { readonly keyPrefix: string }> = {
  method: "post",
  path: "/keys",
  needsFreshSession: true,
  handle: ({ db, keyPrefix, ...deps }) => {
    const readBody = createBodyReader(deps, NewKey);
    return async (request, response) => {
      const { accountId } = accountOf(response);
      const { name, scope, monthly_limit_minutes: monthlyMinutes, ends_at } = await readBody(request, response);
      const endsAt = ends_at === null ? null : new Date(ends_at);
      await requireRoomForKey({ db, ...deps }, { accountId, endsAt });
      // Not retried: a lost reply would leave a key that was never shown.
      const { id, key } = await createKey(db, { accountId, name, scope, monthlyMinutes, endsAt, keyPrefix });
      response.status(201).json({ key, record: await readRecord({ db, ...deps }, id) } satisfies CreatedKey);
    };
  },
};

async function readRecord({ db, databaseRetryMs: ms }: Deps, id: string): Promise<KeyRecord> {
  const [row] = await retryWhileUnavailable(() => findKeysNamed(db, id), { ms });
  if (!row) throw new Error("the key is gone");
  return toRecord(row);
}

const notAnId = "The id of the key is not a UUID. Send its `id`.";

/** `PUT keys/{id}`: changes the name and the limits of a live key. */
export const changeKeyRoute: DashboardRoute<Deps & ReadBodyDeps> = {
  method: "put",
  path: "/keys/{id}",
  needsFreshSession: true,
  handle: (deps) => {
    const readBody = createBodyReader(deps, KeyChange);
    return async (request, response) => {
      const wanted = { id: uuidOf(request, notAnId), accountId: accountOf(response).accountId };
      const { name, monthly_limit_minutes: monthlyMinutes, ends_at } = await readBody(request, response);
      const change = { ...wanted, name, monthlyMinutes, endsAt: ends_at === null ? null : new Date(ends_at) };
      const changed = await retryWhileUnavailable(() => changeKey(deps.db, change), { ms: deps.databaseRetryMs });
      if (changed !== "changed") throw refusalOf(changed);
      response.json(await readRecord(deps, wanted.id));
    };
  },
};

const overlapSeconds = { now: 0, hour: 3600, day: 86_400, week: 7 * 86_400 };

/** `POST keys/{id}/rotate`: a new key takes the place of a live one. Only this response ever shows it. */
export const rotateKeyRoute: DashboardRoute<Deps & ReadBodyDeps & { readonly keyPrefix: string }> = {
  method: "post",
  path: "/keys/{id}/rotate",
  needsFreshSession: true,
  handle: ({ db, keyPrefix, ...deps }) => {
    const readBody = createBodyReader(deps, KeyRotation);
    return async (request, response) => {
      const wanted = { id: uuidOf(request, notAnId), accountId: accountOf(response).accountId };
      const { overlap } = await readBody(request, response);
      if (overlap !== "now") await requireRoomForKey({ db, ...deps }, { accountId: wanted.accountId, endsAt: null });
      // Not retried: a lost reply would leave a key that was never shown.
      const rotated = await rotateKey(db, { ...wanted, keyPrefix, overlapSeconds: overlapSeconds[overlap] });
      if (typeof rotated === "string") throw refusalOf(rotated);
      const record = await readRecord({ db, ...deps }, rotated.id);
      response.status(201).json({ key: rotated.key, record } satisfies CreatedKey);
    };
  },
};

function refusalOf(refusal: KeyRefusal): Problem {
  if (refusal === "unknown") return new Problem("not_found", {});
  const reason =
    refusal === "over"
      ? "This key was revoked or has ended, so it cannot be changed. Make a new key."
      : "This key was rotated before, and its new key is live. Use that one, or revoke it to rotate this key again.";
  return new Problem("invalid_request", { reason });
}

/** Throws invalid_request if the account has too many live keys, or if the end of the new one is in the past. */
export async function requireRoomForKey(
  { db, databaseRetryMs: ms }: Deps,
  { accountId, endsAt }: { accountId: string; endsAt: Date | null },
): Promise<void> {
  if (endsAt !== null && endsAt.getTime() <= Date.now()) {
    throw new Problem("invalid_request", { reason: "The end of the key is in the past. Give a later time." });
  }
  const keys = await retryWhileUnavailable(() => listKeys(db, accountId), { ms });
  if (keys.filter(({ state }) => state === "live").length >= maxLiveKeys) {
    throw new Problem("invalid_request", { reason: `This account has ${maxLiveKeys} live keys. Revoke one first.` });
  }
}

/** `DELETE keys/{id}`: revokes a key, at once. Revoking it again changes nothing. */
export const revokeKeyRoute: DashboardRoute<Deps> = {
  method: "delete",
  path: "/keys/{id}",
  handle:
    ({ db, databaseRetryMs: ms }) =>
    async (request, response) => {
      const { accountId } = accountOf(response);
      const id = uuidOf(request, notAnId);
      const isOwn = await retryWhileUnavailable(
        async () => {
          if (await revokeKey(db, { id, accountId })) return true;
          return (await findKeysNamed(db, id)).some((key) => key.accountId === accountId);
        },
        { ms },
      );
      if (!isOwn) throw new Problem("not_found", {});
      response.status(204).end();
    },
};

function toRecord(key: KeyRow): KeyRecord {
  return {
    id: key.id,
    name: key.name,
    display: key.display,
    scope: key.scope,
    state: key.state,
    monthly_limit_minutes: key.monthlyMinutes,
    ends_at: key.endsAt?.toISOString() ?? null,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    month_seconds: key.secondsThisMonth,
  };
}

/** `GET refusals`: the requests that were refused before a job existed. */
export const refusalsRoute: DashboardRoute<Deps> = {
  method: "get",
  path: "/refusals",
  handle:
    ({ db, databaseRetryMs: ms }) =>
    async (_request, response) => {
      const { accountId } = accountOf(response);
      const rows = await retryWhileUnavailable(() => listRefusedRequests(db, accountId), { ms });
      const refusals = rows.map((row) => {
        const { title, advice } = problems[row.code as ProblemCode];
        const { code, route, count, requestId: request_id, lastAt } = row;
        return { code, title, advice, route, count, request_id, key: keyOf(row), last_at: lastAt.toISOString() };
      });
      response.json({ refusals } satisfies Refusals);
    },
};
