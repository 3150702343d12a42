import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { jobQuery, jobsQuery } from "../api/queries.ts";
import type { Clock } from "../clock/clock.ts";
import { dateTimeText } from "../design/format.ts";
import { Select } from "../design/select.tsx";
import { namesOf } from "../evidence/rows.ts";
import type { JsonNode } from "../json/json-node.ts";
import { parseJson } from "../json/parse-json.ts";
import { findMoments, lanesOf } from "../moments/find-moments.ts";
import { LaneRow } from "../timeline/lane-row.tsx";
import { differencesOf } from "./differences.ts";
import { useLit } from "./run.ts";

type CompareProps = {
  readonly jobId: string;
  readonly answer: JsonNode;
  readonly duration: number;
  /** How many times wider than its window the timeline is. */
  readonly zoom: number;
  readonly clock: Clock;
  readonly onSeek: (seconds: number) => void;
};

const shownAtMost = 20;

/** Another run beside this one: its times in further rows of the same timeline, and the values that differ. */
export function CompareRun({ jobId, answer, duration, zoom, clock, onSeek }: CompareProps) {
  const [otherId, setOtherId] = useState("");
  const listed = useInfiniteQuery(jobsQuery({ status: "succeeded" })).data?.pages[0]?.jobs ?? [];
  const others = listed.filter(({ id }) => id !== jobId);
  const text = useQuery({ ...jobQuery(otherId), enabled: otherId !== "" }).data?.data_text;
  const other = useMemo(() => (text ? parseJson(text) : undefined), [text]);
  const moments = useMemo(() => (other ? findMoments(other, duration) : []), [other, duration]);
  const lit = useLit(clock, moments);
  const { values, differing } = useMemo(
    () => (other ? differencesOf(answer, other) : { values: 0, differing: [] }),
    [answer, other],
  );
  if (others.length === 0) return null;
  const more = differing.length > shownAtMost ? ` The table has the first ${shownAtMost}.` : "";
  const named = others.map(({ id, title, created_at: at }) => ({
    value: id,
    label: `${title ?? id.slice(0, 8)}, ${dateTimeText(at)}`,
  }));
  return (
    <section className="compare" aria-label="Another run">
      <Select
        label="Compare with"
        options={[{ value: "", label: "Compare with another run" }, ...named]}
        value={otherId}
        onChange={setOtherId}
      />
      {lanesOf(moments).map((lane, index) => (
        <LaneRow
          key={lane.id}
          lane={{ ...lane, name: `${lane.name}, other run` }}
          colour={(index % 6) + 1}
          {...{ duration, zoom, lit, onSeek }}
        />
      ))}
      {other && (
        <p className="field-note" role="status">
          {differing.length === 0 ? "No value differs." : `${differing.length} of ${values} values differ.${more}`}
        </p>
      )}
      {differing.length > 0 && (
        <table className="compare-table">
          <thead>
            <tr>
              <th>Value</th>
              <th>This run</th>
              <th>Other run</th>
            </tr>
          </thead>
          <tbody>
            {differing.slice(0, shownAtMost).map(({ pointer, here, there }) => (
              <tr key={pointer}>
                <td className="mono">{namesOf([pointer])}</td>
                <td>{here ?? "–"}</td>
                <td>{there ?? "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
