import { afterAll, describe, expect, it } from 'vitest'
import { Output, StatusUpdateCreate } from '#functions/ai/outputs/schemas.ts'
import { operations } from '#functions/operations.ts'
import { PushPreview } from '#functions/psa/pushes/schemas.ts'
import { buildPsaData } from '#local/vendors/psa/psa-data.ts'
import { pushKinds } from '#rules/events/push-values.ts'
import { createAiSession } from '#test/support/ai.ts'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow } from '#test/support/flows.ts'
import { someByDay } from '#test/support/night.ts'
import { createAccount } from '#test/support/people.ts'
import { connectPsa, psaProviders } from '#test/support/psa.ts'
import { startRun } from '#test/support/subflows.ts'

const service = await startOwnService()
const { listRecords, clearRecords } = dashboard(service)
afterAll(() => service.close())
const waitUntilSettled = () => service.stack.localServer.qstash.waitUntilSettled()

/** What is masked: of each kind of value one, with markup and characters that HTML escapes. */
const secrets = ['10.77.66.55', 'maya@x.example', 'Winter2026!', 'fs01']
const planted = `Mail *maya@x.example* <b>& call</b>, pw: ${secrets[2]} at ${secrets[0]}, \\\\${secrets[3]}\\finance`
const countSecrets = (text: string) => secrets.filter((secret) => text.includes(secret)).length

const { tickets } = buildPsaData()
const takeTicket = () => String(tickets.pop()?.id)

/** Return the texts that the ticketing system was asked to store: a note, a time entry, or a new ticket. */
async function readSentTexts(): Promise<{ text: string; summary: string | null }[]> {
  const calls: { request: unknown }[] = await listRecords('psa')
  return calls.flatMap(({ request }) => {
    const body = (Array.isArray(request) ? request[0] : request) as Record<string, string> | null
    const text = body?.text ?? body?.notes ?? body?.initialDescription
    const html = body?.note_html ?? body?.details_html
    if (text === undefined && html === undefined) return []
    return [{ text: text ?? decodeHtml(html ?? ''), summary: body?.summary ?? null }]
  })
}
const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'" }
/** Return the text of a note of HaloPSA, without what its adapter puts before and after it. */
const decodeHtml = (html: string) =>
  html
    .replaceAll('<br>', '\n')
    .replace(/&(#?\w+);/g, (whole, name: string) => entities[name] ?? whole)
    .replace(/^Resolution:\n/, '')
    .replace(/\n\nReference sf-\S+$/, '')

describe.each(psaProviders)('%s', (provider) => {
  async function createScene(isMasked: boolean) {
    const { admin } = await createAccount(service)
    await connectPsa(service, admin, provider)
    await admin.call('PATCH', '/accounts/me/preferences', { mask_exports: isMasked })
    await admin.client.psa.members.putMapping({ user_id: admin.id, psa_member_id: '177' })
    const push = async (path: string, body?: object) => {
      await waitUntilSettled()
      await clearRecords('psa')
      const response = await admin.call('POST', path, body)
      if (response.status !== 202) expectStatus(response, 200)
      await waitUntilSettled()
      return { body: response.body, sent: await readSentTexts() }
    }
    return { admin, push, preview: async (path: string) => (await admin.call('GET', path)).body }
  }

  /** Create an AI session with a ticket, whose problem has texts that are masked. */
  async function createCase({ admin }: Awaited<ReturnType<typeof createScene>>) {
    const fields = { psa_ticket_id: takeTicket(), problem_summary: planted }
    return `/ai-sessions/${(await createAiSession(admin, fields)).id}`
  }

  /** Complete a run in which a step was done, with texts that are masked in every place. */
  async function createRun({ admin }: Awaited<ReturnType<typeof createScene>>, hasTicket: boolean) {
    const step = (id: string) => ({ id, type: 'procedure_step', title: `${id}: ${planted}`, description: '' })
    const steps = [step('a'), step('b'), { id: 'end', type: 'procedure_end', title: 'End', description: '' }]
    const fields = { tree_type: 'procedural', tree_structure: { steps }, intake_form: [] }
    const flow = await createFlow(admin, { ...fields, name: `Run ${planted}`.slice(0, 100) })
    const { id } = await startRun(admin, flow.id)
    const values = {
      ticket_number: hasTicket ? takeTicket() : null,
      client_name: planted.slice(0, 90),
      notes: planted,
    }
    expectStatus(await admin.call('PATCH', `/sessions/${id}`, values), 200)
    for (const [step_id, outcome] of [
      ['a', 'done'],
      ['b', 'failed'],
    ])
      expectStatus(
        await admin.call('POST', `/sessions/${id}/decisions`, { step_id, outcome, note: planted }),
        201,
      )
    expectStatus(await admin.call('POST', `/sessions/${id}/complete`, { outcome: 'unresolved' }), 200)
    return `/sessions/${id}`
  }
  const runPushes = {
    note: { path: 'push', body: (internal: boolean) => ({ internal }) },
    time_entry: {
      path: 'time-entry',
      body: (internal: boolean) => ({ visibility: internal ? 'internal' : 'client' }),
    },
    ticket: { path: 'ticket', body: () => ({ company_id: '21' }) },
  } satisfies Record<(typeof pushKinds)[number], object>

  it.each(
    someByDay(
      pushKinds.flatMap((kind) =>
        [true, false].flatMap((internal) => [true, false].map((isMasked) => ({ kind, internal, isMasked }))),
      ),
      5,
    ),
  )(
    'PSA-61 previews what a run sends: $kind, internal $internal, masked $isMasked',
    async ({ kind, internal, isMasked }) => {
      const scene = await createScene(isMasked)
      const path = await createRun(scene, kind !== 'ticket')
      const preview = await scene.preview(`${path}/push/preview?kind=${kind}&internal=${internal}`)
      const { sent } = await scene.push(`${path}/${runPushes[kind].path}`, runPushes[kind].body(internal))
      expect(sent).toEqual([{ text: preview.text, summary: preview.summary }])
      const isForClient = kind === 'ticket' || !internal
      const hidden = isMasked || isForClient
      expect(countSecrets(JSON.stringify(sent)) === 0).toBe(hidden)
      if (isForClient) expect(preview.text).not.toContain('b: Mail')
    },
  )

  it.each(
    someByDay(
      Output.shape.kind.options.flatMap((kind) => [true, false].map((isMasked) => ({ kind, isMasked }))),
      5,
    ),
  )(
    'PSA-61 AUD-02 previews and shows an output as it is sent: $kind, masked $isMasked',
    async ({ kind, isMasked }) => {
      const scene = await createScene(isMasked)
      const path = await createCase(scene)
      const { body: output } = await scene.admin.call('POST', `${path}/outputs`, { kind })
      const outputPath = `${path}/outputs/${output.id}`
      const content = `${planted} ${'x'.repeat(30_000)}`
      const { body: edited } = await scene.admin.call('PATCH', outputPath, { content })
      const preview = await scene.preview(`${outputPath}/push/preview`)
      const { body: pushed, sent } = await scene.push(`${outputPath}/push`)
      expect(sent).toEqual([{ text: preview.text, summary: null }])
      const [listed] = (await scene.admin.call('GET', `${path}/outputs`)).body
      const isHidden = isMasked || kind === 'client_email'
      for (const shown of [edited, pushed, listed]) {
        expect([shown.content.slice(0, 29_999), countSecrets(shown.content) === 0]).toEqual([
          preview.text.slice(0, -1),
          isHidden,
        ])
      }
      expect([preview.text.at(-1), countSecrets(output.content) === 0]).toEqual(['…', isHidden])
      const stored = await service.sql('select content from ai_outputs where id = $1', [output.id])
      expect(stored).toEqual([{ content }])
    },
  )

  it.each([true, false])(
    'AUD-02 PSA-61 PSA-69 previews and answers with what resolving a case sends, masked %s',
    async (isMasked) => {
      const scene = await createScene(isMasked)
      const escalation = await scene.push(`${await createCase(scene)}/escalate`, {
        ...{
          summary: planted,
          reason: planted,
          what_was_tried: planted,
          next_steps: planted,
          urgency: 'high',
        },
      })
      const path = await createCase(scene)
      const close = {
        ...{ outcome: 'resolved', notes: `For us: ${planted}`, follow_up: planted },
        resolution: `We replaced the driver. ${planted}`,
      }
      const preview = await scene.admin.call('POST', `${path}/resolve/preview`, close)
      expectStatus(preview, 200)
      const resolution = await scene.push(`${path}/resolve`, close)
      expect(escalation.sent).toEqual([{ text: escalation.body.documentation, summary: null }])
      const { documentation } = resolution.body
      expect(resolution.sent).toContainEqual({ text: documentation, summary: null })
      const [told] = resolution.sent.filter(({ text }) => text !== documentation)
      expect([resolution.sent.length, countSecrets(told?.text ?? planted)]).toEqual([2, 0])
      expect(told?.text).toContain('Resolved\nWe replaced the driver. Mail ')
      expect(told?.text).not.toContain('For us')
      expect(documentation).toContain('Told the client\nWe replaced the driver.')
      expect([preview.body.documentation, preview.body.resolution]).toEqual([documentation, told?.text])
      const { body: stored } = await scene.admin.call('GET', path)
      expect(stored.resolution).toBe(close.resolution)
      const { body: found } = await scene.admin.call('GET', '/search?q=replaced%20driver')
      expect(found.results.map(({ id }: { id: string }) => id)).toContain(path.split('/').at(-1))
      for (const { body } of [escalation, resolution])
        expect(countSecrets(body.documentation) === 0).toBe(isMasked)
    },
  )
})

it.each(
  someByDay(
    StatusUpdateCreate.shape.audience.options.flatMap((audience) =>
      StatusUpdateCreate.shape.length.options.flatMap((length) =>
        [true, false].map((isMasked) => ({ audience, length, isMasked })),
      ),
    ),
    5,
  ),
)(
  'AUD-02 masks a status update for its readers: $audience, $length, masked $isMasked',
  async ({ isMasked, ...body }) => {
    const { admin } = await createAccount(service)
    await admin.call('PATCH', '/accounts/me/preferences', { mask_exports: isMasked })
    const { id } = await createAiSession(admin, { problem_summary: planted })
    const update = await admin.call('POST', `/ai-sessions/${id}/status-update`, body)
    expectStatus(update, 200)
    expect(countSecrets(update.body.text) === 0).toBe(isMasked || body.audience !== 'ticket_notes')
  },
)

it('PSA-61 has a case for each operation that previews a push', () => {
  const previews = operations.filter(({ returns }) => returns === PushPreview).map(({ id }) => id)
  expect(previews.toSorted()).toEqual(['ai.outputs.previewPush', 'psa.pushes.previewForSession'])
})
