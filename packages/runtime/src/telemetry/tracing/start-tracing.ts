import {
  type Context,
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, type Sampler, SamplingDecision, TracerProvider } from "@opentelemetry/sdk-trace";
import manifest from "../../../package.json" with { type: "json" };
import { withTimeLimit } from "../../timing/time-limit.ts";
import type { RunningSpan, SpanAttributes, SpanOptions, Tracing } from "./tracing.ts";

const maxCloseMs = 2000;
const kinds = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, internal: SpanKind.INTERNAL } as const;

/**
 * Starts the traces of this process. Spans wait in memory, 2,048 at most, and are sent together; a dead or slow
 * collector loses spans and delays nothing.
 */
export function startTracing({ endpoint, service }: { endpoint: string; service: string }): Tracing {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, "")}/v1/traces`, timeoutMillis: 5000 });
  const provider = new TracerProvider({
    sampler,
    resource: resourceFromAttributes({ "service.name": service, "service.version": manifest.version }),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: 1000, exportTimeoutMillis: 5000 })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  const tracer = trace.getTracer("video-to-json", manifest.version);

  function begin(name: string, { kind = "internal", attributes, parent }: SpanOptions = {}): RunningSpan {
    const above = parent ? propagation.extract(context.active(), { traceparent: parent }) : context.active();
    const options = { kind: kinds[kind], attributes: defined(attributes), links: linksBetween(above) };
    const span = tracer.startSpan(name, options, above);
    return running(span, trace.setSpan(above, span));
  }

  return {
    isOn: true,
    begin,
    past(name, ms, attributes, failure) {
      // A request without a span around it, such as a check at the start, is not part of a job.
      if (!trace.getSpanContext(context.active())) return;
      const startTime = Date.now() - ms;
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, startTime, attributes: defined(attributes) });
      if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
      span.end();
    },
    async span(name, work) {
      const span = begin(name);
      try {
        const result = await span.run(work);
        span.end();
        return result;
      } catch (error) {
        span.end({}, "error");
        throw error;
      }
    },
    traceParent() {
      const carrier: { traceparent?: string } = {};
      propagation.inject(context.active(), carrier);
      return carrier.traceparent;
    },
    logFields() {
      const current = trace.getSpanContext(context.active());
      return current ? { trace_id: current.traceId, span_id: current.spanId } : {};
    },
    async close() {
      await withTimeLimit(maxCloseMs, "Sending traces", provider.shutdown()).catch(() => {});
    },
  };
}

/**
 * Records every request and job, whatever a caller's `traceparent` says about recording: a stranger must not choose. Work
 * that belongs to none, such as the queue's housekeeping, would be nine of ten spans and is left out.
 */
const sampler: Sampler = {
  shouldSample(above, _traceId, _name, kind) {
    const parent = trace.getSpanContext(above);
    const isOurs = parent !== undefined && !parent.isRemote;
    const isRecorded = isOurs ? (parent.traceFlags & TraceFlags.SAMPLED) !== 0 : parent || kind !== SpanKind.INTERNAL;
    return { decision: isRecorded ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD };
  },
  toString: () => "requests and jobs",
};

function running(span: Span, within: Context): RunningSpan {
  return {
    run: (work) => context.with(within, work),
    rename: (name) => void span.updateName(name),
    end(attributes, failure) {
      span.setAttributes(defined(attributes));
      // An error's message may quote a caller. Its code does not.
      if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
      span.end();
    },
  };
}

/**
 * The span in which this one begins, if its parent is in another trace: a ticket may bring a job of another request.
 */
function linksBetween(above: Context) {
  const here = trace.getSpanContext(context.active());
  const there = trace.getSpanContext(above);
  return here && there && here.traceId !== there.traceId ? [{ context: here }] : [];
}

function defined(attributes: SpanAttributes = {}): Record<string, string | number> {
  const entries = Object.entries(attributes).filter(
    (entry): entry is [string, string | number] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries);
}
