import { expect } from 'vitest'
import { createLimiter, parseRate } from '../../lib/cache/limiter.ts'
import type { Answer, Service } from '../support/app.ts'
import { newAccount, type Person } from '../support/people.ts'
import { callers, together } from './callers.ts'

/** An operation that is limited, and how somebody who may calls it; what it answers besides 429 does not matter here. */
export interface Limited {
  rule: string
  what: string
  max: number
  call(person: Person): Promise<Answer>
}

const anyId = () => crypto.randomUUID()
const mailConfig = { channel: 'email', email_addresses: ['oncall@people.example'], events_enabled: [] }

/** The notification table's limits, calls a minute. */
export const notificationLimits: readonly Limited[] = [
  { rule: 'NOT-18', what: 'config list', max: 30, call: (person) => person.call('GET', '/notifications/configs') },
  { rule: 'NOT-19', what: 'config create', max: 10, call: (person) => person.call('POST', '/notifications/configs', mailConfig) },
  { rule: 'NOT-20', what: 'config update', max: 20, call: (person) => person.call('PATCH', `/notifications/configs/${anyId()}`, {}) },
  { rule: 'NOT-21', what: 'config delete', max: 10, call: (person) => person.call('DELETE', `/notifications/configs/${anyId()}`) },
  {
    rule: 'NOT-22',
    what: 'config test',
    max: 5,
    call: (person) => person.call('POST', '/notifications/configs/test', { config_id: anyId() }),
  },
  { rule: 'NOT-23', what: 'notification list', max: 60, call: (person) => person.call('GET', '/notifications') },
  { rule: 'NOT-24', what: 'unread count', max: 120, call: (person) => person.call('GET', '/notifications/unread-count') },
  { rule: 'NOT-25', what: 'mark read', max: 60, call: (person) => person.call('PATCH', `/notifications/${anyId()}/read`) },
  { rule: 'NOT-26', what: 'mark all read', max: 10, call: (person) => person.call('POST', '/notifications/mark-all-read') },
]

/** Of more calls than allowed, made by `callers` at once within a minute, exactly `max` are let in. */
export async function allowsExactly(service: Service, rule: string, rounds: number): Promise<void> {
  const { max, call } = notificationLimits.find((limited) => limited.rule === rule) as Limited
  for (let round = 1; round <= rounds; round++) {
    const { admin } = await newAccount(service)
    const calls = max + callers
    const answers: Answer[] = []
    let begun = 0
    await together(async () => {
      while (begun++ < calls) answers.push(await call(admin))
    })
    const refused = answers.filter(({ status }) => status === 429)
    expect([answers.length, answers.length - refused.length], `round ${round}`).toEqual([calls, max])
    for (const { headers, body } of refused) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      expect(body.detail).toBe(`Rate limit exceeded: ${max} per minute`)
    }
    expect(answers.every(({ status }) => status < 500)).toBe(true)
  }
}

/** Four isolates that share nothing but Redis allow exactly what one may. */
export async function isolatesCountTogether(service: Service, rounds: number): Promise<void> {
  const { UPSTASH_REDIS_REST_URL = '', UPSTASH_REDIS_REST_TOKEN = '' } = service.settings
  const rate = parseRate('20/minute')
  for (let round = 1; round <= rounds; round++) {
    const limiters = Array.from({ length: 4 }, () => createLimiter(UPSTASH_REDIS_REST_URL, UPSTASH_REDIS_REST_TOKEN, 10_000))
    const key = `isolates:${crypto.randomUUID()}`
    const verdicts = await together(async (caller) => limiters[caller % limiters.length]?.take(key, rate, false))
    expect(verdicts.filter((verdict) => verdict?.allowed).length, `round ${round}`).toBe(rate.max)
  }
}
