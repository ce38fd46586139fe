import { type Config, parseConfig } from '#config.ts'
import type { Services } from '#http/app.ts'
import { noMetrics } from '#metrics.ts'
import { sampleSettings } from './settings.ts'

/** What a test replaces. `config` has only the settings that differ from the sample. */
type StubOverrides = Partial<Omit<Services, 'ports'>> & { config?: Partial<Config> }

/**
 * Create services for operations that use no database and no vendor: every call is allowed, and nothing is
 * logged.
 */
export function createStubServices({ config, ...overrides }: StubOverrides = {}): Services {
  return {
    ports: { config: { ...parseConfig(sampleSettings), ...config } },
    limiter: {
      count: async () => ({ allowed: true, limit: 5, remaining: 4, resetSeconds: 60 }),
      ping: async () => {},
    },
    readClientAddress: () => '192.0.2.1',
    log: () => {},
    metrics: noMetrics,
    ...overrides,
  } as unknown as Services
}
