import type { OutboundGuard } from '../net/guard.ts'
import { connectwise } from './connectwise.ts'
import { halopsa } from './halopsa.ts'
import { psaHttp } from './http.ts'
import type { OpenPsa } from './psa.ts'

/** Opens connections to whichever provider they name. */
export function psaProviders(guard: OutboundGuard): OpenPsa {
  return (connection) => {
    const http = psaHttp(connection.baseUrl, guard)
    return connection.provider === 'connectwise' ? connectwise(connection, http) : halopsa(connection, http)
  }
}
