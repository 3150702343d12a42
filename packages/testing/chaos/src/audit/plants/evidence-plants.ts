import { type Plant, sqlPlant } from "./plant.ts";

const isTrue = "evidence is true";
const proven = "(select id from jobs where status = 'succeeded' and evidence::text like '{%' limit 1)";

/** Violations in the evidence of answers. */
export const evidencePlants: readonly Plant[] = [
  sqlPlant(
    "lost-evidence-of-values",
    isTrue,
    /has evidence of \[.*\] for an answer with/,
    `update jobs set evidence = jsonb_set(jsonb_set(evidence::jsonb, '{fields}', '{}'), '{whole_video}', '[]')::json where id = ${proven}`,
  ),
  sqlPlant(
    "value-proven-twice",
    isTrue,
    /has evidence of \[.*\] for an answer with/,
    `update jobs set evidence = jsonb_set(evidence::jsonb, '{whole_video}', (select jsonb_agg(value) from (
        select jsonb_object_keys(evidence::jsonb -> 'fields') as value
        union all select jsonb_array_elements_text(evidence::jsonb -> 'whole_video')
        union all select jsonb_array_elements_text(evidence::jsonb -> 'whole_video')) as doubled))::json
      where id = ${proven}`,
  ),
  sqlPlant(
    "evidence-past-the-end",
    isTrue,
    /has evidence outside of its video/,
    `update jobs set evidence = jsonb_set(evidence::jsonb, '{fields}', (select jsonb_object_agg(key, jsonb_set(value, '{spans}',
        '[{"start_ms": 0, "end_ms": 900000000}]')) from jsonb_each(evidence::jsonb -> 'fields')))::json
      where id = (select id from jobs where evidence::text like '{%' and (evidence -> 'fields')::text <> '{}' limit 1)`,
  ),
  sqlPlant(
    "lost-evidence",
    isTrue,
    /succeeded without the evidence that its request asks for/,
    `update jobs set evidence = 'null' where id = ${proven}`,
  ),
  sqlPlant(
    "unasked-evidence",
    isTrue,
    /has evidence that its request did not ask for/,
    `update jobs set evidence = (select evidence from jobs where id = ${proven})
      where id = (select id from jobs where status = 'succeeded' and evidence is null and erased_at is null limit 1)`,
  ),
  sqlPlant(
    "evidence-of-deleted-job",
    isTrue,
    /is deleted, and its evidence is still stored/,
    "alter table jobs disable trigger jobs_erase_evidence",
    `update jobs set erased_at = now() where id = ${proven}`,
  ),
];
