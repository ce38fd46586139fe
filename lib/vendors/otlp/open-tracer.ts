import type { Config } from '#config.ts'
import type { Log } from '#log.ts'
import type { Tracer } from '#trace.ts'
import { createOtlpTracer } from './otlp-tracer.ts'

/**
 * Create the tracer of the settings, whose names are OpenTelemetry's:
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/. Undefined if they name
 * no receiver.
 */
export function openTracer(config: Config, log: Log): Tracer | undefined {
  const {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: headers,
    OTEL_TRACES_SAMPLER_ARG: sampleRatio,
    OTEL_SERVICE_NAME: serviceName,
    OTEL_RESOURCE_ATTRIBUTES: attributes,
    VERSION: version,
  } = config
  const resource = { ...attributes, 'service.name': serviceName, 'service.version': version }
  return endpoint ? createOtlpTracer({ endpoint, headers, sampleRatio, resource, log }) : undefined
}
