import fc from 'fast-check'
import { expect, it } from 'vitest'
import { newAiSession, suggestFix } from '../../support/ai.ts'
import { shared } from '../../support/app.ts'
import { newAccount, type Person } from '../../support/people.ts'

const service = shared()

/** What the table of states says of a fix. Times are only known to be there or not, and to stay. */
interface Model {
  status: string
  applied: boolean
  verified: boolean
  partial_notes: string | null
  pending_reason: string | null
  failure_reason: string | null
  script: string
  proposal: boolean
  version: number
}
type Step =
  | { do: 'apply' | 'reject' | 'propose' }
  | { do: 'script'; script: string }
  | { do: 'outcome'; outcome: string; notes?: string | undefined; reason?: string | undefined }

const open = ['proposed', 'applied_partial', 'applied_pending']
const final = ['applied_success', 'applied_failed', 'dismissed']

/** The next state and the status that is answered. */
function next(model: Model, step: Step): [Model, number] {
  const changed = (change: Partial<Model>): Model => {
    const after = { ...model, ...change }
    return JSON.stringify(after) === JSON.stringify(model) ? model : { ...after, version: model.version + 1 }
  }
  switch (step.do) {
    // The model's own proposal counts nothing.
    case 'propose':
      return [open.includes(model.status) ? { ...model, proposal: true } : model, 0]
    case 'apply':
      return model.status === 'proposed' ? [changed({ applied: true }), 200] : [model, 409]
    case 'reject':
      return [changed({ proposal: false }), 204]
    case 'script':
      if (step.script === '') return [model, 422]
      return open.includes(model.status) ? [changed({ script: step.script }), 200] : [model, 409]
    case 'outcome': {
      const { outcome, notes = null, reason = null } = step
      if ((outcome === 'applied_partial' && !notes) || (outcome === 'applied_pending' && !reason)) return [model, 422]
      if (final.includes(model.status)) return [model, 409]
      const told = {
        ...(outcome === 'applied_partial' ? { partial_notes: notes } : {}),
        ...(outcome === 'applied_pending' ? { pending_reason: reason } : {}),
        ...(outcome === 'applied_failed' ? { failure_reason: notes } : {}),
      }
      const applied = model.applied || outcome !== 'dismissed'
      const verified = outcome === 'applied_success' || outcome === 'applied_failed'
      return [changed({ ...told, status: outcome, applied, verified, proposal: false }), 200]
    }
  }
}

const text = fc.constantFrom('a', 'b', 'It’s “so”')
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom<Step>({ do: 'apply' }, { do: 'reject' }, { do: 'propose' }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('script' as const), script: fc.constantFrom('', 'Write-Output 1', 'Write-Output 2') }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('outcome' as const),
      outcome: fc.constantFrom('applied_partial', 'applied_pending', 'applied_partial', 'applied_pending', ...final),
      notes: fc.option(text, { nil: undefined }),
      reason: fc.option(text, { nil: undefined }),
    }),
  },
)

async function take(owner: Person, at: string, id: string, step: Step): Promise<number> {
  if (step.do === 'propose') {
    const proposal = JSON.stringify({ outcome: 'applied_failed', reason: 'x', created_at: '2026-11-21T09:30:00.000Z' })
    await service.sql(`update ai_fixes set ai_outcome_proposal = $2 where id = $1 and status = any ($3)`, [id, proposal, open])
    return 0
  }
  const { do: act, ...body } = step
  if (act === 'apply') return (await owner.call('POST', `${at}/apply`)).status
  if (act === 'reject') return (await owner.call('DELETE', `${at}/ai-outcome-proposal`)).status
  return (await owner.call('PATCH', `${at}/${act}`, body)).status
}

it('FIX-29 walks the table of states at random: each answer, each field and each count', { timeout: 120_000 }, async () => {
  const account = await newAccount(service)
  const seed = Math.floor(Math.random() * 2 ** 31)
  console.log(`Fix walks seed ${seed}`)
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const owner = await account.colleague()
      const session = await newAiSession(owner)
      const id = await suggestFix(service, session, { ai_drafted_script: 'Write-Output 0' })
      const at = `/ai-sessions/${session.id}/suggested-fixes/${id}`
      let model: Model = {
        ...{ status: 'proposed', applied: false, verified: false, partial_notes: null, pending_reason: null, failure_reason: null },
        ...{ script: 'Write-Output 0', proposal: false, version: 0 },
      }
      let before = { applied_at: null as string | null }
      for (const one of steps) {
        const [after, status] = next(model, one)
        expect(await take(owner, at, id, one), JSON.stringify(one)).toBe(status)
        const { suggested_fixes, state_version } = (await owner.call('GET', `/ai-sessions/${session.id}`)).body
        const [fix] = suggested_fixes
        const { partial_notes, pending_reason, failure_reason } = fix
        const found: Model = {
          ...{ status: fix.status, applied: fix.applied_at !== null, verified: fix.verified_at !== null },
          ...{ partial_notes, pending_reason, failure_reason },
          ...{ script: fix.ai_drafted_script, proposal: fix.ai_outcome_proposal !== null, version: state_version },
        }
        expect(found, JSON.stringify(one)).toEqual(after)
        if (before.applied_at) expect(fix.applied_at).toBe(before.applied_at)
        model = after
        before = fix
      }
    }),
    { seed, numRuns: 30 },
  )
})

it('FIX-29 lets one of 32 final outcomes at once win, and counts one', async () => {
  const { admin } = await newAccount(service)
  const session = await newAiSession(admin)
  const id = await suggestFix(service, session)
  const at = `/ai-sessions/${session.id}/suggested-fixes/${id}`
  const answers = await Promise.all(
    Array.from({ length: 32 }, (_, n) => admin.call('PATCH', `${at}/outcome`, { outcome: final[n % 3], notes: `n${n}` })),
  )
  const won = answers.filter(({ status }) => status === 200)
  expect([won.length, answers.filter(({ status }) => status === 409).length]).toEqual([1, 31])
  const detail = (await admin.call('GET', `/ai-sessions/${session.id}`)).body
  expect([detail.suggested_fixes[0], detail.state_version]).toEqual([won[0]?.body, 1])
})

it('FIX-02 stamps one time when 32 apply at once', async () => {
  const { admin } = await newAccount(service)
  const session = await newAiSession(admin)
  const at = `/ai-sessions/${session.id}/suggested-fixes/${await suggestFix(service, session)}`
  const answers = await Promise.all(Array.from({ length: 32 }, () => admin.call('POST', `${at}/apply`)))
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.applied_at}`)).size).toBe(1)
  expect((await admin.call('GET', `/ai-sessions/${session.id}`)).body.state_version).toBe(1)
})
