import { expect } from 'vitest'
import type { TraceView } from '#local/dashboard/state.ts'
import { dashboard, request, type Service } from './app.ts'
import { expectStatus } from './expect-status.ts'
import { randomIpAddress, registerUser } from './public-requests.ts'

/**
 * Request a password reset in a trace of its own. Return the operations and jobs of the log, and the e-mails,
 * that carry its id.
 */
export async function traceResetMail(service: Service): Promise<{ logged: unknown[]; mails: string[] }> {
  const { email } = await registerUser(service)
  // Otherwise the job of this e-mail may send the other one too.
  await dashboard(service).waitForLink(email, /(https:\S+)/)
  const traceId = crypto.randomUUID().replaceAll('-', '')
  const headers = { traceparent: `00-${traceId}-${'b2'.repeat(8)}-01`, 'cf-connecting-ip': randomIpAddress() }
  expectStatus(await request(service, 'POST', '/auth/forgot-password', { body: { email }, headers }), 202)
  const polling = { timeout: 60_000 }
  const readTrace = async () =>
    (await (await fetch(`${service.localOrigin}/desk/traces/${traceId}`)).json()) as TraceView
  const readMails = async () =>
    (await readTrace()).records.filter(({ service }) => service === 'mail').map(({ title }) => title)
  const readOperations = async () => (await readTrace()).logs.map(({ operation }) => operation)
  await expect.poll(readMails, polling).toContain('Reset your password')
  // The job's line is written after its e-mail.
  await expect.poll(async () => (await readOperations()).length, polling).toBeGreaterThan(1)
  return { logged: await readOperations(), mails: await readMails() }
}
