import type { Config } from '#config.ts'
import type { Log } from '#log.ts'
import type { Tracer } from '#trace.ts'
import { createOtlpTracer } from './otlp-tracer.ts'

/** Create the tracer of the settings. Undefined if they name no receiver. */
export function openTracer(config: Config, log: Log): Tracer | undefined {
  const {
    OTLP_ENDPOINT: endpoint,
    OTLP_HEADERS: headers,
    OTLP_SAMPLE_RATIO: sampleRatio,
    VERSION: version,
  } = config
  return endpoint ? createOtlpTracer({ endpoint, headers, sampleRatio, version, log }) : undefined
}
