import { openPlatformDb } from '#db/scope.ts'
import type { Services } from '#http/app.ts'
import { cacheResult } from '#http/health.ts'
import { withTimeout } from '#vendors/net/send-result.ts'
import { selectBacklogs } from '#work/backlog.ts'
import { selectStuckWork } from '#work/stuck-work.ts'
import type { MetricsRegistry } from './metrics-registry.ts'
import { measureProcess, toGauge, toWorkGauges } from './process-metrics.ts'
import type { NodeRealtime } from './streams-in-memory.ts'

export interface MetricsSources {
  services: Services
  registry: MetricsRegistry
  realtime: Pick<NodeRealtime, 'countAllStreams'>
}

// Several servers may fetch the metrics, each every 15 s. The outboxes are the same for all processes.
const backlogCacheMs = 15_000
const backlogTimeoutMs = 2000

/** Return a function that writes the metrics of this process. It also answers while the database does not. */
export function createMetricsWriter(
  { services, registry, realtime }: MetricsSources,
  now: () => number = Date.now,
): () => Promise<string> {
  const process = measureProcess(services.ports.config.VERSION)
  const platform = openPlatformDb(
    services.platform,
    'metrics count the stored work of every account',
    () => {},
  )
  const selectWork = async () => {
    const [backlog, stuck] = await Promise.all([selectBacklogs.all(platform), selectStuckWork.one(platform)])
    return { backlog, stuck }
  }
  const readWork = cacheResult(
    () => withTimeout(backlogTimeoutMs, selectWork()).catch(() => null),
    backlogCacheMs,
    now,
  )
  return async () =>
    registry.write([
      ...process.read(),
      toGauge(
        'support_flow_open_streams',
        'Open escalation streams of this process.',
        realtime.countAllStreams(),
      ),
      ...toWorkGauges(await readWork()),
    ])
}
