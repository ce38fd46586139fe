import type { OutboundGuard } from '../net/guard.ts'
import { createConnectWise } from './connectwise.ts'
import { createHaloPsa } from './halopsa.ts'
import { createPsaHttp } from './http.ts'
import type { OpenPsa } from './psa.ts'

/** Open connections of both providers. */
export function createPsaOpener(guard: OutboundGuard): OpenPsa {
  return (connection) => {
    const http = createPsaHttp(connection.baseUrl, guard)
    return connection.provider === 'connectwise' ? createConnectWise(connection, http) : createHaloPsa(connection, http)
  }
}
