import { afterAll, expect, it } from 'vitest'
import { newAiSession } from '../../support/ai.ts'
import { expectStatus } from '../../support/answers.ts'
import { desk, ownService } from '../../support/app.ts'
import { newAccount } from '../../support/people.ts'
import { connect } from '../../support/psa.ts'

const service = await ownService()
const { fault, lift } = desk(service)
afterAll(() => service.close())
const settled = () => service.stack.local.qstash.settled()

let tickets = 4700
/** A session for a ticket of its own, in an account that is connected to its ticketing system. */
async function scene({ connected = true, ticket = true } = {}) {
  const account = await newAccount(service)
  if (connected) await connect(service, account.admin)
  const number = ++tickets
  const owner = await account.colleague()
  const session = await newAiSession(owner, ticket ? { psa_ticket_id: String(number), client_name: 'Contoso Dental' } : {})
  const at = `/ai-sessions/${session.id}`
  const write = (kind: string) => owner.call('POST', `${at}/outputs`, { kind })
  const list = async () => (await owner.call('GET', `${at}/outputs`)).body
  const push = (id: string) => owner.call('POST', `${at}/outputs/${id}/push`)
  const edit = (id: string, body: object) => owner.call('PATCH', `${at}/outputs/${id}`, body)
  const retry = () => owner.call('POST', `${at}/retry-psa-push`)
  return { account, owner, session, at, write, list, push, edit, retry, notes: () => notesOf(number) }
}

/** What this service wrote on a ticket, by the provider's own API. */
async function notesOf(ticket: number): Promise<{ text: string; detailDescriptionFlag: boolean; internalAnalysisFlag: boolean }[]> {
  const headers = { authorization: `Basic ${btoa('demo+demo:demo')}`, clientid: 'demo' }
  const answered = await fetch(`${service.local}/psa/v4_6_release/apis/3.0/service/tickets/${ticket}/notes?pageSize=1000`, { headers })
  return ((await answered.json()) as Awaited<ReturnType<typeof notesOf>>).filter(({ text }) => text.includes('[Support Flow'))
}

it('AIS-19 writes where the case stands for three audiences at two lengths, and keeps nothing of it', async () => {
  const { owner, at } = await scene({ connected: false })
  await owner.call('POST', `${at}/chat`, { message: 'Printer PRN-2F-03 shows error 0x00000bcb.' })
  const before = (await owner.call('GET', at)).body
  const texts = new Set<string>()
  for (const audience of ['ticket_notes', 'client_update', 'email_draft']) {
    for (const length of ['quick', 'detailed']) {
      const { status, body } = await owner.call('POST', `${at}/status-update`, { audience, length })
      expect([status, body.text]).toEqual([200, expect.stringContaining('Reception cannot print')])
      texts.add(body.text)
    }
  }
  expect(texts.size).toBe(6)
  for (const body of [{}, { audience: 'boss', length: 'quick' }, { audience: 'client_update', length: 'long' }])
    expectStatus(await owner.call('POST', `${at}/status-update`, body), 422)
  expect((await owner.call('GET', at)).body).toEqual(before)
})

it('AIS-20 keeps what was edited, and lists what was written', async () => {
  const { session, write, edit, list } = await scene({ connected: false })
  for (const kind of ['resolution_summary', 'ticket_note', 'client_email', 'kb_article']) {
    const { status, body } = await write(kind)
    expect([status, body]).toMatchObject([
      201,
      { kind, edited: false, pushed_at: null, psa_push: null, content: expect.stringContaining('print') },
    ])
  }
  expectStatus(await write('poem'), 422)
  const [first, ...others] = await list()
  expect((await edit(first.id, {})).body).toEqual(first)
  const edited = (await edit(first.id, { content: 'Mine: “so” <b>& done</b>' })).body
  expect(edited).toMatchObject({ id: first.id, content: 'Mine: “so” <b>& done</b>', edited: true })
  for (const content of ['', ' \n', 'x'.repeat(100_001), 'a\u0000b', null]) expectStatus(await edit(first.id, { content }), 422)
  expect(await list()).toEqual([edited, ...others])
  // What is refused is no activity either: an idle session is archived all the same.
  const row = () => service.sql('select * from ai_sessions where id = $1', [session.id])
  const before = await row()
  expectStatus(await edit(session.id, { content: 'x' }), 404)
  expect(await row()).toEqual(before)
})

it('AIS-21 writes an output on its ticket: to the client what is meant for them, all else internal', async () => {
  const { write, push, list, notes } = await scene()
  for (const kind of ['client_email', 'kb_article']) {
    const { body } = await write(kind)
    expect((await push(body.id)).body).toEqual({ ...body, psa_push: 'queued', updated_at: expect.any(String) })
    await settled()
    expect((await list()).at(-1)).toMatchObject({ psa_push: 'pushed', pushed_at: expect.any(String) })
    const note = (await notes()).at(-1)
    expect(note?.text).toContain(body.content)
    expect([note?.detailDescriptionFlag, note?.internalAnalysisFlag]).toEqual(kind === 'client_email' ? [true, false] : [false, true])
  }
})

it('AIS-21 writes one note when all the pushes of a minute come at once, and one more later, and is edited no more', async () => {
  const { write, push, edit, notes, list } = await scene()
  const { id } = (await write('ticket_note')).body
  // A minute’s limit is ten; the tenth comes later.
  const owners = await Promise.all(Array.from({ length: 9 }, () => push(id)))
  expect(new Set(owners.map(({ status }) => status))).toEqual(new Set([200]))
  await settled()
  const again = await push(id)
  expect(again.body).toMatchObject({ psa_push: 'pushed' })
  await settled()
  expect(await notes()).toHaveLength(1)
  const refused = await edit(id, { content: 'Other' })
  expect([refused.status, refused.body.code]).toEqual([409, 'already_pushed'])
  expect(await list()).toEqual([again.body])
})

it('AIS-21 tries again what failed, and may be edited before', async () => {
  const { write, push, edit, notes, list } = await scene()
  const { id, content } = (await write('ticket_note')).body
  const fail = async () => {
    await fault({ service: 'psa', mode: 'client_error' })
    await push(id)
    await settled()
    await lift()
    expect(await list()).toMatchObject([{ psa_push: 'failed', pushed_at: null }])
  }
  await fail()
  expect((await push(id)).body.psa_push).toBe('queued')
  await settled()
  expect((await notes()).map(({ text }) => text.includes(content))).toEqual([true])
  await service.sql(`update psa_pushes set state = 'failed', pushed_at = null where source_id = $1`, [id])
  expect((await edit(id, { content: 'Edited after the failure' })).body).toMatchObject({ edited: true, psa_push: null })
  await push(id)
  await settled()
  expect((await notes()).map(({ text }) => text.includes('Edited after'))).toEqual([false, true])
})

it('AIS-21 says why it cannot push: no ticket, no connection, no such output', async () => {
  const unlinked = await scene({ ticket: false })
  const unconnected = await scene({ connected: false })
  for (const [{ write, push, list }, code] of [
    [unlinked, 'no_ticket'],
    [unconnected, 'psa_not_connected'],
  ] as const) {
    const { body } = await write('ticket_note')
    const answer = await push(body.id)
    expect([answer.status, answer.body.code]).toEqual([409, code])
    expect(await list()).toEqual([body])
    const other = await scene()
    expectStatus(await other.push(body.id), 404)
  }
})

it('AIS-22 is the owner’s alone to try the documentation again, and tries what failed once', async () => {
  const { account, owner, session, at, retry, notes } = await scene()
  await fault({ service: 'psa', mode: 'client_error' })
  await owner.call('POST', `${at}/resolve`, { outcome: 'resolved', notes: 'A new driver' })
  await settled()
  await lift()
  const reader = await account.colleague()
  expectStatus(await reader.call('POST', `${at}/retry-psa-push`), 404)
  await service.sql('update ai_sessions set escalated_to_id = $2 where id = $1', [session.id, reader.id])
  expectStatus(await reader.call('POST', `${at}/retry-psa-push`), 403)
  const answers = await Promise.all(Array.from({ length: 5 }, retry))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
  expect(answers.find(({ status }) => status === 200)?.body).toEqual({ session_id: session.id, psa_push: 'queued' })
  await settled()
  expect((await notes()).map(({ text }) => text.includes('A new driver'))).toEqual([true])
  const refused = await retry()
  expect([refused.status, refused.body.code]).toEqual([409, 'nothing_to_retry'])
})

it('AIS-22 sends the documentation of a session that was resolved before there was a connection, and names what is missing', async () => {
  const { account, owner, at, retry, notes } = await scene({ connected: false })
  expect((await retry()).body.code).toBe('nothing_to_retry')
  await owner.call('POST', `${at}/resolve`, { outcome: 'workaround', notes: 'Another printer' })
  expect((await retry()).body.code).toBe('psa_not_connected')
  await connect(service, account.admin)
  const answers = await Promise.all(Array.from({ length: 5 }, retry))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
  await settled()
  expect((await notes()).map(({ text }) => text.includes('Another printer'))).toEqual([true])
  expect((await (await scene({ ticket: false })).retry()).body.code).toBe('no_ticket')
})

it('AIS-24 AIS-30 stores no output and answers 502 when the model fails or answers with another schema, after two calls', async () => {
  const { owner, at, write, list } = await scene({ connected: false })
  await fault({ service: 'openai', mode: 'garbage' })
  for (const answer of [
    await write('ticket_note'),
    await owner.call('POST', `${at}/status-update`, { audience: 'ticket_notes', length: 'quick' }),
  ])
    expect([answer.status, answer.body.code]).toEqual([502, 'ai_provider_error'])
  await lift()
  await owner.call('POST', `${at}/facts`, { key: 'note', value: 'OBEY: {"text": "ok", "status": "resolved"}' })
  await desk(service).empty('ai')
  await fault({ service: 'openai', mode: 'obey' })
  expectStatus(await write('ticket_note'), 502)
  expect(await desk(service).read('ai')).toHaveLength(2)
  expect(await list()).toEqual([])
})
