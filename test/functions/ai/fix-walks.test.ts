import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createAiSession, insertFix } from '#test/support/ai.ts'
import { sharedService } from '#test/support/app.ts'
import { casesByDay } from '#test/support/night.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()

/**
 * The expected state of a fix. `applied` and `verified` state whether `applied_at` and `verified_at` are set.
 */
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
  | { action: 'apply' | 'reject' | 'propose' }
  | { action: 'script'; script: string }
  | { action: 'outcome'; outcome: string; notes?: string | undefined; reason?: string | undefined }

const openStatuses = ['proposed', 'applied_partial', 'applied_pending']
const finalStatuses = ['applied_success', 'applied_failed', 'dismissed']

/**
 * Return the next state and the expected HTTP status. The status of a proposal is 0, because no request is
 * sent.
 */
function applyStep(model: Model, step: Step): [Model, number] {
  const applyChange = (change: Partial<Model>): Model => {
    const after = { ...model, ...change }
    return JSON.stringify(after) === JSON.stringify(model) ? model : { ...after, version: model.version + 1 }
  }
  switch (step.action) {
    // A proposal of the AI model does not change state_version.
    case 'propose':
      return [openStatuses.includes(model.status) ? { ...model, proposal: true } : model, 0]
    case 'apply':
      return model.status === 'proposed' ? [applyChange({ applied: true }), 200] : [model, 409]
    case 'reject':
      return [applyChange({ proposal: false }), 204]
    case 'script':
      if (step.script === '') return [model, 422]
      return openStatuses.includes(model.status) ? [applyChange({ script: step.script }), 200] : [model, 409]
    case 'outcome': {
      const { outcome, notes = null, reason = null } = step
      if ((outcome === 'applied_partial' && !notes) || (outcome === 'applied_pending' && !reason))
        return [model, 422]
      if (finalStatuses.includes(model.status)) return [model, 409]
      const explanation = {
        ...(outcome === 'applied_partial' ? { partial_notes: notes } : {}),
        ...(outcome === 'applied_pending' ? { pending_reason: reason } : {}),
        ...(outcome === 'applied_failed' ? { failure_reason: notes } : {}),
      }
      const applied = model.applied || outcome !== 'dismissed'
      const verified = outcome === 'applied_success' || outcome === 'applied_failed'
      return [applyChange({ ...explanation, status: outcome, applied, verified, proposal: false }), 200]
    }
  }
}

const arbitraryText = fc.constantFrom('a', 'b', 'It’s “so”')
const arbitraryStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom<Step>({ action: 'apply' }, { action: 'reject' }, { action: 'propose' }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      action: fc.constant('script' as const),
      script: fc.constantFrom('', 'Write-Output 1', 'Write-Output 2'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      action: fc.constant('outcome' as const),
      outcome: fc.constantFrom(
        'applied_partial',
        'applied_pending',
        'applied_partial',
        'applied_pending',
        ...finalStatuses,
      ),
      notes: fc.option(arbitraryText, { nil: undefined }),
      reason: fc.option(arbitraryText, { nil: undefined }),
    }),
  },
)

/** Run a step through the API, or a proposal through SQL. Return the HTTP status, or 0 for a proposal. */
async function runStep(owner: Person, fixPath: string, id: string, step: Step): Promise<number> {
  if (step.action === 'propose') {
    const proposal = JSON.stringify({
      outcome: 'applied_failed',
      reason: 'x',
      created_at: '2026-11-21T09:30:00.000Z',
    })
    await service.sql(`update ai_fixes set ai_outcome_proposal = $2 where id = $1 and status = any ($3)`, [
      id,
      proposal,
      openStatuses,
    ])
    return 0
  }
  const { action, ...body } = step
  if (action === 'apply') return (await owner.call('POST', `${fixPath}/apply`)).status
  if (action === 'reject') return (await owner.call('DELETE', `${fixPath}/ai-outcome-proposal`)).status
  return (await owner.call('PATCH', `${fixPath}/${action}`, body)).status
}

it('FIX-29 has the expected status, fields and state_version after every step of random walks', {
  timeout: 120_000,
}, async () => {
  const account = await createAccount(service)
  const seed = Math.floor(Math.random() * 2 ** 31)
  console.log(`Fix walks seed ${seed}`)
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryStep, { minLength: 4, maxLength: 14 }), async (steps) => {
      const owner = await account.addColleague()
      const session = await createAiSession(owner)
      const id = await insertFix(service, session, { ai_drafted_script: 'Write-Output 0' })
      const fixPath = `/ai-sessions/${session.id}/suggested-fixes/${id}`
      let model: Model = {
        status: 'proposed',
        applied: false,
        verified: false,
        partial_notes: null,
        pending_reason: null,
        failure_reason: null,
        script: 'Write-Output 0',
        proposal: false,
        version: 0,
      }
      let before = { applied_at: null as string | null }
      for (const step of steps) {
        const [after, status] = applyStep(model, step)
        expect(await runStep(owner, fixPath, id, step), JSON.stringify(step)).toBe(status)
        const { suggested_fixes, state_version } = (await owner.call('GET', `/ai-sessions/${session.id}`))
          .body
        const [fix] = suggested_fixes
        const actual: Model = {
          status: fix.status,
          applied: fix.applied_at !== null,
          verified: fix.verified_at !== null,
          partial_notes: fix.partial_notes,
          pending_reason: fix.pending_reason,
          failure_reason: fix.failure_reason,
          script: fix.ai_drafted_script,
          proposal: fix.ai_outcome_proposal !== null,
          version: state_version,
        }
        expect(actual, JSON.stringify(step)).toEqual(after)
        if (before.applied_at) expect(fix.applied_at).toBe(before.applied_at)
        model = after
        before = fix
      }
    }),
    { seed, numRuns: casesByDay(30) },
  )
})

it('FIX-29 accepts one of 32 concurrent final outcomes, and increments state_version once', async () => {
  const { admin } = await createAccount(service)
  const session = await createAiSession(admin)
  const id = await insertFix(service, session)
  const fixPath = `/ai-sessions/${session.id}/suggested-fixes/${id}`
  const responses = await Promise.all(
    Array.from({ length: 32 }, (_, n) =>
      admin.call('PATCH', `${fixPath}/outcome`, { outcome: finalStatuses[n % 3], notes: `n${n}` }),
    ),
  )
  const winners = responses.filter(({ status }) => status === 200)
  expect([winners.length, responses.filter(({ status }) => status === 409).length]).toEqual([1, 31])
  const detail = (await admin.call('GET', `/ai-sessions/${session.id}`)).body
  expect([detail.suggested_fixes[0], detail.state_version]).toEqual([winners[0]?.body, 1])
})

it('FIX-02 stores one applied_at for 32 concurrent requests to apply a fix', async () => {
  const { admin } = await createAccount(service)
  const session = await createAiSession(admin)
  const fixPath = `/ai-sessions/${session.id}/suggested-fixes/${await insertFix(service, session)}`
  const responses = await Promise.all(
    Array.from({ length: 32 }, () => admin.call('POST', `${fixPath}/apply`)),
  )
  expect(new Set(responses.map(({ status, body }) => `${status} ${body.applied_at}`)).size).toBe(1)
  expect((await admin.call('GET', `/ai-sessions/${session.id}`)).body.state_version).toBe(1)
})
