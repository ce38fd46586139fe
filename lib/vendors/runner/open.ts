import type { OutboundGuard } from '#vendors/net/guard.ts'
import { createRunnerHttp } from './http.ts'
import type { OpenRunner } from './runner.ts'
import { createTacticalRmm } from './tactical-rmm.ts'

/** Open connections of every provider. */
export function createRunnerOpener(guard: OutboundGuard): OpenRunner {
  return (connection) => {
    const http = createRunnerHttp(connection, guard)
    switch (connection.provider) {
      case 'tactical_rmm':
        return createTacticalRmm(http)
    }
  }
}
