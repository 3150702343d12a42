import type { Recipe } from "../recipe.ts";

/** Dangerous situations on a work site. */
export const safetyIncidents: Recipe = {
  id: "safety-incidents",
  title: "Safety incidents",
  about: "Dangerous situations on a site or in a warehouse, so that a person looks at minutes instead of hours.",
  schema: `{
  "incidents": [
    {
      "start": "timestamp",
      "end": "timestamp",
      "kind": "no_helmet|no_vest|fall|near_miss|blocked_exit|vehicle_near_person|other",
      "severity": "low|medium|high",
      "people": "integer — how many are in danger",
      "description": "string — what can be seen, in one sentence"
    }
  ],
  "view_is_clear": "boolean — false if darkness, dirt or an obstacle hides a part of the site"
}`,
  instructions:
    "A fixed camera over a loading bay. Helmets are required outside of the yellow line only. List only what can be seen, not what might happen. If nothing happens, incidents is empty.",
  answer: `{
  "incidents": [
    {
      "start": "02:13",
      "end": "02:20",
      "kind": "vehicle_near_person",
      "severity": "high",
      "people": 1,
      "description": "A forklift reverses to within a step of a person who looks away."
    }
  ],
  "view_is_clear": true
}`,
  pitfalls: [
    "An empty list means that nothing was seen, not that nothing happened. Ask for `view_is_clear`, and let a person check samples.",
    "Rules differ from site to site. Write yours into the instructions; without them, everybody without a helmet is an incident.",
    "Very short events can be missed. Send short parts of a recording rather than all at once.",
  ],
};
