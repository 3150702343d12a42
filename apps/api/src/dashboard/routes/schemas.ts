import { Problem } from "@video-to-json/contract";
import { NewSchema, type SavedSchema, type SavedSchemas } from "@video-to-json/contract/dashboard/schemas";
import {
  type Db,
  deleteSavedSchema,
  findSavedSchema,
  listSavedSchemas,
  retryWhileUnavailable,
  type SavedSchemaRow,
  saveSchema,
} from "@video-to-json/database";
import { uuidOf } from "../../routes/job-id-parameter.ts";
import { createBodyReader, type ReadBodyDeps } from "../read-body.ts";
import { accountOf } from "../sign-in/require-session.ts";
import type { DashboardRoute } from "./dashboard-route.ts";

type Deps = { readonly db: Db; readonly databaseRetryMs: number };

// A list of that length is read at once, and no person overlooks a longer one.
const maxVersions = 300;
const notAnId = "The id of the schema is not a UUID. Send its `id`.";

/** `GET schemas`: the saved schemas of the account without their texts, by name, the newest version first. */
export const schemasRoute: DashboardRoute<Deps> = {
  method: "get",
  path: "/schemas",
  handle:
    ({ db, databaseRetryMs: ms }) =>
    async (_request, response) => {
      const { accountId } = accountOf(response);
      const rows = await retryWhileUnavailable(() => listSavedSchemas(db, accountId), { ms });
      response.json({ schemas: rows.map(toRecord) } satisfies SavedSchemas);
    },
};

/** `POST schemas`: saves the next version of the schema of this name. */
export const saveSchemaRoute: DashboardRoute<Deps & ReadBodyDeps> = {
  method: "post",
  path: "/schemas",
  handle: ({ db, ...deps }) => {
    const readBody = createBodyReader(deps, NewSchema);
    return async (request, response) => {
      const { accountId } = accountOf(response);
      const { name, schema, instructions } = await readBody(request, response);
      if (name.trim() === "" || /\p{C}/u.test(name)) {
        throw new Problem("invalid_request", { reason: "The name has no printable character. Give another one." });
      }
      // Not retried: after a lost reply the version would be saved twice.
      const version = { accountId, name: name.trim(), schemaText: schema, instructions, maxVersions };
      const saved = await saveSchema(db, version);
      if (!saved) {
        const reason = `This account has ${maxVersions} versions of schemas. Delete one first.`;
        throw new Problem("invalid_request", { reason });
      }
      response.status(201).json(toRecord(saved));
    };
  },
};

/** `GET schemas/{id}`: one version with its texts. */
export const schemaRoute: DashboardRoute<Deps> = {
  method: "get",
  path: "/schemas/{id}",
  handle:
    ({ db, databaseRetryMs: ms }) =>
    async (request, response) => {
      const wanted = { id: uuidOf(request, notAnId), accountId: accountOf(response).accountId };
      const row = await retryWhileUnavailable(() => findSavedSchema(db, wanted), { ms });
      if (!row) throw new Problem("not_found", {});
      const { schemaText, instructions } = row;
      response.json({ ...toRecord(row), schema: schemaText, instructions } satisfies SavedSchema);
    },
};

/** `DELETE schemas/{id}`: deletes one version. */
export const deleteSchemaRoute: DashboardRoute<Deps> = {
  method: "delete",
  path: "/schemas/{id}",
  handle:
    ({ db, databaseRetryMs: ms }) =>
    async (request, response) => {
      const wanted = { id: uuidOf(request, notAnId), accountId: accountOf(response).accountId };
      if (!(await retryWhileUnavailable(() => deleteSavedSchema(db, wanted), { ms }))) {
        throw new Problem("not_found", {});
      }
      response.status(204).end();
    },
};

function toRecord({ id, name, version, createdAt }: SavedSchemaRow) {
  return { id, name, version, created_at: createdAt.toISOString() };
}
