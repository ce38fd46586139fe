import { lazyPort } from '#vendors/lazy-port.ts'
import type { OutboundGuard } from '#vendors/net/guard.ts'
import { createPsaHttp, type PsaHttp } from './http.ts'
import type { OpenPsa, PsaConnection, PsaPort } from './psa.ts'

/** Open connections of every provider. */
export function createPsaOpener(guard: OutboundGuard): OpenPsa {
  return (connection) => {
    const http = createPsaHttp(listAddresses(connection), guard, Object.values(connection.secrets))
    return lazyPort(() => createClient(connection, http), {})
  }
}

/** Return the addresses that a connection sends secrets to. */
function listAddresses(connection: PsaConnection): string[] {
  const authUrl = connection.provider === 'halopsa' ? connection.identity.auth_url : null
  return [connection.baseUrl, ...(authUrl ? [authUrl] : [])]
}

async function createClient(connection: PsaConnection, http: PsaHttp): Promise<PsaPort> {
  switch (connection.provider) {
    case 'connectwise':
      return (await import('./connectwise.ts')).createConnectWise(connection, http)
    case 'halopsa':
      return (await import('./halopsa.ts')).createHaloPsa(connection, http)
  }
}
