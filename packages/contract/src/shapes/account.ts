import Type from "typebox";
import { named } from "./named.ts";

/** Body of `GET /v1/me` (specification, "Account"): the balance, from which holds are not subtracted. */
export const Account = named(
  "Account",
  Type.Object(
    {
      email: Type.String({ format: "email", description: "The e-mail of the account behind the key." }),
      minutes_remaining: Type.Number({ description: "The balance in seconds divided by sixty." }),
      seconds_remaining: Type.Integer({ description: "The balance in seconds." }),
    },
    { additionalProperties: false, description: "The account behind the key, and its balance." },
  ),
);
export type Account = Type.Static<typeof Account>;
