import * as z from 'zod'
import type { Addresses, Client } from './client.ts'
import { listWithItem, TourError } from './expectations.ts'

/** Wait for an e-mail to `email` that contains the link. Return the link's parameter. */
export async function waitForLink(client: Client, email: string, link: RegExp): Promise<string> {
  const mail = z.object({ subject: z.string(), to: z.tuple([z.literal(email)]), text: z.string().regex(link) })
  const { text } = await client.dashboard('GET', '/desk/mail', { poll: true, returns: listWithItem(mail, `mail to ${email} with ${link}`) })
  return link.exec(text)?.[1] ?? ''
}

/** Wait for an e-mail to `email` whose subject contains the text, and return it. */
export async function waitForMail(client: Client, email: string, subject: string): Promise<{ subject: string; text: string }> {
  const mail = z.object({ subject: z.string().includes(subject), to: z.tuple([z.literal(email)]), text: z.string() })
  return client.dashboard('GET', '/desk/mail', { poll: true, returns: listWithItem(mail, `mail to ${email} about “${subject}”`) })
}

/** Return the path of this run's webhook at a local chat tool. */
export function getWebhookPath({ run }: Client, tool: 1 | 2): string {
  return `/chat/${tool}/oncall-${run}`
}

/** Wait for an accepted message of this run that contains the text. */
export async function waitForChatMessage(client: Client, tool: 1 | 2, text: string): Promise<void> {
  const body = z.unknown().refine((message) => JSON.stringify(message).includes(text))
  const message = z.object({ accepted: z.literal(true), path: z.literal(getWebhookPath(client, tool)), body })
  await client.dashboard('GET', '/desk/chat', {
    poll: true,
    returns: listWithItem(message, `message in chat tool ${tool} about “${text}”`),
  })
}

export async function setFault(client: Client, fault: { service: string; mode: string; times?: number }): Promise<void> {
  await client.dashboard('POST', '/desk/faults', { body: fault, status: 201 })
}

export async function clearFaults(client: Client): Promise<void> {
  await client.dashboard('DELETE', '/desk/faults', { status: 204 })
}

const ClockState = z.object({ now: z.string(), offset_seconds: z.number() })

/** Read the local dashboard's time in seconds since the epoch. */
export async function readClock(client: Client): Promise<number> {
  const { now } = await client.dashboard('GET', '/desk/clock', { returns: ClockState })
  return Math.floor(Date.parse(now) / 1000)
}

/** Move the time of PostgreSQL, the queue and cron. Due messages are delivered before this returns. */
export async function advanceClock(client: Client, seconds: number): Promise<void> {
  await client.dashboard('POST', '/desk/clock', { body: { advance_seconds: seconds }, returns: ClockState })
}

export async function resetClock(client: Client): Promise<void> {
  await client.dashboard('DELETE', '/desk/clock', { returns: ClockState.extend({ offset_seconds: z.literal(0) }) })
}

/** Clear all faults and reset the clock, without printing the requests. */
export async function restoreDashboard({ dashboard }: Addresses): Promise<void> {
  for (const path of ['/desk/faults', '/desk/clock']) {
    const { status } = await fetch(dashboard + path, { method: 'DELETE' })
    if (status >= 300) throw new TourError(`DELETE ${path} returned ${status}: the local dashboard may still have faults or a moved clock.`)
  }
}
