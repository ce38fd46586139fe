import { createHash, createHmac } from 'node:crypto'
import { localSigningKey, signingKeyPath } from '#local/vendors/psa/psa-connectwise.ts'
import { request, type Service } from './app.ts'
import type { Person } from './people.ts'
import type { PsaProvider } from './psa.ts'

interface CallbackOptions {
  key?: string
  keyUrl?: string
  companyId?: string
  type?: string
}

/** Build a callback as ConnectWise sends it. The key of the HMAC is the SHA-256 of the signing key. */
export function buildConnectWiseCallback(
  service: Pick<Service, 'localOrigin'>,
  ticketId: string,
  options: CallbackOptions = {},
) {
  const {
    key = localSigningKey,
    keyUrl = `${service.localOrigin}/psa${signingKeyPath}`,
    companyId = 'demo',
    type = 'ticket',
  } = options
  const entity = JSON.stringify({ id: Number(ticketId), summary: 'Printer' })
  const fields = {
    MessageId: crypto.randomUUID(),
    FromUrl: 'local',
    CompanyId: companyId,
    MemberId: 'zadmin',
    Action: 'updated',
    Type: type,
  }
  const body = JSON.stringify({
    ...fields,
    ID: Number(ticketId),
    Entity: entity,
    Metadata: { key_url: keyUrl },
  })
  const signature = createHmac('sha256', createHash('sha256').update(key).digest())
    .update(body)
    .digest('base64')
  return { body, headers: { 'content-type': 'application/json', 'x-content-signature': signature } }
}

/** Build a webhook as HaloPSA sends it. */
export function buildHaloWebhook(ticketId: string, password: string) {
  const body = JSON.stringify({
    id: crypto.randomUUID(),
    event: 'Ticket Updated',
    ticket: { id: Number(ticketId), summary: 'Printer' },
  })
  return {
    body,
    headers: {
      'content-type': 'application/json',
      authorization: `Basic ${btoa(`support-flow:${password}`)}`,
    },
  }
}

/**
 * Create an address for callbacks, and return a function that sends one for a ticket as the provider does.
 */
export async function enableCallbacks(service: Service, admin: Person, provider: PsaProvider) {
  const { url, password } = await admin.client.psa.callbacks.enable()
  const path = url.slice(url.indexOf('/psa/callbacks'))
  const build = (ticketId: string) =>
    provider === 'connectwise'
      ? buildConnectWiseCallback(service, ticketId)
      : buildHaloWebhook(ticketId, password ?? '')
  const send = ({ body, headers }: { body: string; headers: Record<string, string> }) =>
    request(service, 'POST', path, { raw: body, headers })
  return { path, password: password ?? '', build, send, notify: (ticketId: string) => send(build(ticketId)) }
}
