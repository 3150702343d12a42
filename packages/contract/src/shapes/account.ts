import Type from "typebox";

/** Body of `GET /v1/me` (specification, "Account"): the balance, holds not subtracted. */
export const Account = Type.Object(
  {
    email: Type.String({ format: "email", description: "The e-mail of the account behind the key." }),
    minutes_remaining: Type.Number({ description: "The balance in seconds divided by sixty." }),
    seconds_remaining: Type.Integer({ description: "The balance in seconds." }),
  },
  { additionalProperties: false, description: "The account behind the key, and its balance." },
);
export type Account = Type.Static<typeof Account>;
