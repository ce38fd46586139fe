import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { root } from '#local/root.ts'
import { type EscalationHintCode, escalationHints } from '#rules/ai/escalation-hints.ts'
import { createAiSession, insertFix } from '#test/support/ai.ts'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()

const codes = Object.keys(escalationHints) as EscalationHintCode[]
const subsets = Array.from({ length: 2 ** codes.length }, (_, bits) =>
  codes.filter((_code, index) => (bits >> index) % 2 === 1),
)
const entries = { escalate: {}, handoff: { intent: 'escalate' } }
const texts = (missing: readonly EscalationHintCode[]) =>
  missing.map((code) => ({ code, text: escalationHints[code] }))

it.each(
  Object.entries(entries).flatMap(([path, body]) => subsets.map((missing) => ({ path, body, missing }))),
)('HND-39 $path sends what lacks $missing, and says so before and after', async ({ path, body, missing }) => {
  const { admin } = await createAccount(service)
  const lacks = (code: EscalationHintCode) => missing.includes(code)
  const { id } = await createAiSession(admin, {
    ...(lacks('no_client') ? {} : { client_name: 'Contoso Dental' }),
    ...(lacks('no_ticket') ? {} : { psa_ticket_id: '4711' }),
  })
  const before = await admin.call('GET', `/ai-sessions/${id}`)
  expect(before.body.hints).toEqual(texts(codes.filter((code) => code === 'nothing_tried' || lacks(code))))
  const tried = lacks('nothing_tried') ? {} : { what_was_tried: 'Restarted the spooler.' }
  const sent = await admin.call('POST', `/ai-sessions/${id}/${path}`, { ...body, ...tried })
  expect([200, 201]).toContain(sent.status)
  expect(sent.body.hints ?? []).toEqual(texts(missing))
})

it.each(['applied_failed', 'proposed'])('HND-39 a fix that is %s counts as tried or not', async (status) => {
  const { admin } = await createAccount(service)
  const { id, account_id } = await createAiSession(admin, { client_name: 'Contoso', psa_ticket_id: '1' })
  const at = '2026-11-21T09:30:00Z'
  const times = status === 'proposed' ? {} : { applied_at: at, verified_at: at, failure_reason: 'No effect' }
  await insertFix(service, { id, account_id }, { status, ...times })
  const { body } = await admin.call('GET', `/ai-sessions/${id}`)
  expect(body.hints).toEqual(texts(status === 'proposed' ? ['nothing_tried'] : []))
})

it('AIS-57 a hypothesis is suspected until a person confirms it, and another one again', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createAiSession(admin)
  const patch = (fields: object) => admin.call('PATCH', `/ai-sessions/${id}/triage`, fields)
  const steps: [object, boolean][] = [
    [{ triage_hypothesis: 'MTU' }, false],
    [{ cause_confirmed: true }, true],
    [{ issue_category: 'Network' }, true],
    [{ triage_hypothesis: 'MTU' }, true],
    [{ triage_hypothesis: 'DNS' }, false],
    [{ triage_hypothesis: 'MTU', cause_confirmed: true }, true],
    [{ triage_hypothesis: null, cause_confirmed: true }, false],
    [{ triage_hypothesis: 'MTU' }, false],
    [{ cause_confirmed: true }, true],
  ]
  for (const [fields, isConfirmed] of steps) {
    const { body } = expectStatus(await patch(fields), 200)
    expect([fields, body.cause_confirmed]).toEqual([fields, isConfirmed])
  }
  const body = { outcome: 'resolved' }
  const preview = async () =>
    (await admin.call('POST', `/ai-sessions/${id}/resolve/preview`, body)).body.documentation
  expect(await preview()).toContain('\nCause\nMTU')
  await patch({ cause_confirmed: false })
  expect(await preview()).toContain('\nSuspected cause\nMTU')
})

it('AIS-57 no text of the service has another word for it', () => {
  const files = globSync(['lib/**/*.{ts,json}', 'functions/**/*.ts'], { cwd: root }).filter(
    // The model is asked for the likeliest one.
    (file) => !/prompts\/(?:diagnosis|care)\.ts$/.test(file),
  )
  const other = /\b(?:(?:most )?likely|likeliest|probable|presumed) cause\b/i
  expect(files.filter((file) => other.test(readFileSync(`${root}/${file}`, 'utf8')))).toEqual([])
  expect(files.length).toBeGreaterThan(500)
})
