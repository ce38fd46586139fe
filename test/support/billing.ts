import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { expect } from 'vitest'
import { givePrices } from '../../lib/local/demo.ts'
import { signedEvent } from '../contract/fixtures-billing.ts'
import { ownService, request, type Service } from './app.ts'

/** A service whose plans have prices at the provider's stand-in. */
export async function billedService() {
  const service = await ownService()
  const client = new pg.Client({ connectionString: service.stack.ownerUrl })
  await client.connect()
  await givePrices(client)
  await client.end()
  return service
}

export interface Played {
  event: { id: string; created: number }
  status: number | null
  answer: { outcome?: string; error?: string }
}

/** Plays the provider's part at the desk: something happens to an account's subscription. Answers the last event of it. */
export async function play(service: Service, account_id: string, action: string, more: object = {}): Promise<Played> {
  const body = JSON.stringify({ account_id, action, ...more })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${service.local}/desk/billing/events`, { method: 'POST', headers, body })
  expect([answer.status, action]).toEqual([201, action])
  return ((await answer.json()) as Played[]).at(-1) as Played
}

export async function resend(service: Service, { event }: Played): Promise<Played> {
  const answer = await fetch(`${service.local}/desk/billing/events/${event.id}/resend`, { method: 'POST' })
  return (await answer.json()) as Played
}

/** Sends an event of one's own making, signed as the provider signs. */
export function deliver(service: Service, event: object) {
  const { bytes, headers } = signedEvent(service, { id: `evt_${randomBytes(8).toString('hex')}`, object: 'event', ...event })
  return request(service, 'POST', '/billing/webhook', { raw: bytes, headers })
}

export async function stateOf(service: Service, accountId: string) {
  const [row] = await service.sql<{
    plan: string
    subscription_status: string
    past_due_since: Date | null
    billing_customer_id: string | null
  }>('select plan, subscription_status, past_due_since, billing_customer_id from accounts where id = $1', [accountId])
  return row as NonNullable<typeof row>
}
