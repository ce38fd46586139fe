import * as z from 'zod'
import type { Addresses, Tour } from './client.ts'
import { listWithItem, TourError } from './expectations.ts'

/** Wait for an e-mail to `email` that contains the link. Return the link's parameter. */
export async function waitForLink(tour: Tour, email: string, link: RegExp): Promise<string> {
  const mail = z.object({
    subject: z.string(),
    to: z.tuple([z.literal(email)]),
    text: z.string().regex(link),
  })
  const { text } = await tour.dashboard('GET', '/desk/mail', {
    poll: true,
    returns: listWithItem(mail, `mail to ${email} with ${link}`),
  })
  return link.exec(text)?.[1] ?? ''
}

/** Wait for an e-mail to `email` whose subject contains the text, and return it. */
export async function waitForMail(
  tour: Tour,
  email: string,
  subject: string,
): Promise<{ subject: string; text: string }> {
  const mail = z.object({
    subject: z.string().includes(subject),
    to: z.tuple([z.literal(email)]),
    text: z.string(),
  })
  return tour.dashboard('GET', '/desk/mail', {
    poll: true,
    returns: listWithItem(mail, `mail to ${email} about “${subject}”`),
  })
}

/** Return the path of this run's webhook at a local chat tool. */
export function getWebhookPath({ run }: Tour, tool: 1 | 2): string {
  return `/chat/${tool}/oncall-${run}`
}

/** Wait for an accepted message of this run that contains the text. */
export async function waitForChatMessage(tour: Tour, tool: 1 | 2, text: string): Promise<void> {
  const body = z.unknown().refine((message) => JSON.stringify(message).includes(text))
  const message = z.object({ accepted: z.literal(true), path: z.literal(getWebhookPath(tour, tool)), body })
  await tour.dashboard('GET', '/desk/chat', {
    poll: true,
    returns: listWithItem(message, `message in chat tool ${tool} about “${text}”`),
  })
}

export async function setFault(
  tour: Tour,
  fault: { service: string; mode: string; times?: number },
): Promise<void> {
  await tour.dashboard('POST', '/desk/faults', { body: fault, status: 201 })
}

export async function clearFaults(tour: Tour): Promise<void> {
  await tour.dashboard('DELETE', '/desk/faults', { status: 204 })
}

const ClockState = z.object({ now: z.string(), offset_seconds: z.number() })

/** Read the local dashboard's time in seconds since the epoch. */
export async function readClock(tour: Tour): Promise<number> {
  const { now } = await tour.dashboard('GET', '/desk/clock', { returns: ClockState })
  return Math.floor(Date.parse(now) / 1000)
}

/** Move the time of PostgreSQL, the queue and cron. Due messages are delivered before this returns. */
export async function advanceClock(tour: Tour, seconds: number): Promise<void> {
  await tour.dashboard('POST', '/desk/clock', { body: { advance_seconds: seconds }, returns: ClockState })
}

export async function resetClock(tour: Tour): Promise<void> {
  await tour.dashboard('DELETE', '/desk/clock', {
    returns: ClockState.extend({ offset_seconds: z.literal(0) }),
  })
}

/** Clear all faults and reset the clock, without printing the requests. */
export async function restoreDashboard({ dashboard }: Addresses): Promise<void> {
  for (const path of ['/desk/faults', '/desk/clock']) {
    const { status } = await fetch(dashboard + path, { method: 'DELETE' })
    if (status >= 300)
      throw new TourError(
        `DELETE ${path} returned ${status}: the local dashboard may still have faults or a moved clock.`,
      )
  }
}
