import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { root } from '#local/root.ts'
import { openStates } from '#rules/ai/session-values.ts'
import { insertAiSession } from '#test/support/ai.ts'
import { startOwnService } from '#test/support/app.ts'
import { claimHandoff, insertEscalation, pickUpSession } from '#test/support/escalations.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await startOwnService()
afterAll(() => service.close())

const readme = readFileSync(join(root, 'README.md'), 'utf8')
// `requesting_escalation` is the older name of `escalated`.
const innerStates = openStates.filter((state) => state !== 'requesting_escalation')
const states = [...innerStates, 'resolved', 'abandoned', 'archived']

/** The state that the diagram gives for a state and an action, by `state action`. */
const targets = new Map(
  [...readme.matchAll(/^ +(\w+) --> (\w+): (.+)$/gm)].flatMap(([, from = '', to = '', action = '']) =>
    (from === 'open' ? innerStates : [from]).map((state): [string, string] => [`${state} ${action}`, to]),
  ),
)

interface Case {
  owner: Person
  colleague: Person
  id: string
  handoffId: string
}

const actions: Record<string, (c: Case) => Promise<unknown>> = {
  park: ({ owner, id }) => owner.call('POST', `/ai-sessions/${id}/handoff`, { intent: 'park' }),
  resume: ({ owner, id }) => owner.call('POST', `/ai-sessions/${id}/resume`),
  escalate: ({ owner, id }) => owner.call('POST', `/ai-sessions/${id}/escalate`, {}),
  claim: ({ colleague, id, handoffId }) => claimHandoff(colleague, id, handoffId),
  'pick up': ({ colleague, id }) => pickUpSession(colleague, id),
  resolve: ({ owner, id }) => owner.call('POST', `/ai-sessions/${id}/resolve`, { outcome: 'resolved' }),
  abandon: ({ owner, id }) => owner.call('POST', `/ai-sessions/${id}/abandon`),
  'who took it over leaves': async ({ colleague, id }) => {
    await service.sql(
      `with s as (update ai_sessions set picked_up_by_id = $2 where id = $1 and status in ('active', 'parked') returning *)
       insert into ai_handoffs (account_id, session_id, intent, created_by, assessment_status, closed_at)
       select account_id, id, 'escalate', user_id, 'failed', now() from s`,
      [id, colleague.id],
    )
    await service.sql('update users set is_active = false where id = $1', [colleague.id])
    await service.stack.runCron()
  },
  'idle for 30 days': async ({ id }) => {
    await service.sql(
      `update ai_sessions set last_activity_at = app.now() - interval '31 days' where id = $1`,
      [id],
    )
    await service.stack.runCron()
  },
}

/** Insert a case in a state. One that was claimed or escalated has a handoff. */
async function insertCase(state: string): Promise<Case> {
  const { addColleague } = await createAccount(service)
  const [owner, colleague] = [await addColleague(), await addColleague()]
  const isEscalated = state === 'escalated' || state === 'claimed'
  const { session_id: id, handoff_id: handoffId } = isEscalated
    ? await insertEscalation(service, owner)
    : {
        session_id: await insertAiSession(service, owner),
        handoff_id: '00000000-0000-7000-8000-000000000000',
      }
  if (state === 'claimed') await claimHandoff(colleague, id, handoffId)
  const close = state === 'resolved' ? `, outcome = 'resolved', resolved_at = app.now()` : ''
  await service.sql(`update ai_sessions set status = $2${close} where id = $1`, [id, state])
  return { owner, colleague, id, handoffId }
}

it('the diagram of the README has every state of a case and every action', () => {
  expect(new Set([...targets].flatMap(([from, to]) => [from.split(' ')[0], to]))).toEqual(new Set(states))
  expect(new Set([...targets.keys()].map((key) => key.slice(key.indexOf(' ') + 1)))).toEqual(
    new Set(Object.keys(actions)),
  )
})

it.each(states.flatMap((state) => Object.keys(actions).map((action) => [state, action] as const)))(
  'AIS-49 a case that is %s follows the diagram of the README: %s',
  async (state, action) => {
    const example = await insertCase(state)
    await actions[action]?.(example)
    const [row] = await service.sql<{ status: string }>('select status from ai_sessions where id = $1', [
      example.id,
    ])
    expect(row?.status).toBe(targets.get(`${state} ${action}`) ?? state)
  },
)
