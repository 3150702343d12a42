import { Link } from "@tanstack/react-router";
import { ArrowRight } from "lucide-react";
import { examples } from "./examples.ts";

/** Three sketches that open in the playground. */
export function ExampleSketches() {
  return (
    <section className="stack-tight">
      <header>
        <h2 className="section-title">Ask for what you need</h2>
        <p className="muted">A sketch is an example of the answer. Open one in the playground and change it.</p>
      </header>
      <ul className="sketches">
        {examples.map(({ id, title, about, schema }) => (
          <li key={id} className="card sketch">
            <h3>
              <Link to="/playground/{-$jobId}" params={{}} search={{ template: id }} className="row-anchor">
                {title} <ArrowRight aria-hidden="true" />
              </Link>
            </h3>
            <p className="muted">{about}</p>
            <pre aria-hidden="true">{schema}</pre>
          </li>
        ))}
      </ul>
    </section>
  );
}
