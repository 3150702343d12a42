import Type from "typebox";
import { details } from "../clip.ts";
import { timestampPattern } from "../timestamp.ts";
import { named } from "./named.ts";

const position = (description: string) => Type.Optional(Type.String({ pattern: timestampPattern, description }));

export const clipDescription =
  "The part of the video to look at: only it is analysed and billed. It may be as long as a whole video may be, and be cut from a longer one. Times in the data count from the start of the whole video.";

/** The member `clip` of a request (docs/decisions/0001, "Clip and detail"). */
export const Clip = named(
  "Clip",
  Type.Object(
    {
      start: position("Where the clip begins, as `MM:SS`; the start of the video if left out."),
      end: position("Where the clip ends, as `MM:SS`; the end of the video if left out."),
    },
    { additionalProperties: false, description: clipDescription },
  ),
);

/** The member `detail` of a request (docs/decisions/0001, "Clip and detail"). */
export const DetailLevel = named(
  "Detail",
  Type.Enum([...details], {
    type: "string",
    description:
      "How closely to look: `low` for what lasts, `standard` (as without it), `high` for short events and small text. The price is the same.",
  }),
);
