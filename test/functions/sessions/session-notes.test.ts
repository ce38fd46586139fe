import { describe, expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { picture, upload } from '../../support/images.ts'
import { newAccount } from '../../support/people.ts'
import { newSession } from '../../support/sessions.ts'

const service = shared()
const row = async (id: string) => (await service.sql('select s::text as row from sessions s where id = $1', [id]))[0]

describe('a rating', () => {
  it('SES-37 SES-26 is one per session, by anyone in the account, and the next takes its place', async () => {
    const account = await newAccount(service)
    const session = await newSession(account.admin)
    const viewer = await account.colleague({ role: 'viewer' })
    const path = `/sessions/${session.id}/rating`
    const before = await row(session.id)
    expectStatus(await viewer.call('GET', path), 404)
    const first = await account.admin.call('PUT', path, { score: 2, comment: 'Slow' })
    expect([first.status, first.body]).toEqual([
      200,
      { score: 2, comment: 'Slow', rated_by: account.admin.id, rated_by_name: account.admin.fullName, rated_at: first.body.rated_at },
    ])
    const second = (await viewer.call('PUT', path, { score: 5 })).body
    expect(second).toMatchObject({ score: 5, comment: null, rated_by: viewer.id })
    expect((await account.admin.call('GET', path)).body).toEqual(second)
    expect(await service.sql('select from session_ratings where session_id = $1', [session.id])).toHaveLength(1)
    for (const score of [0, 6, 2.5, '5', null]) expectStatus(await viewer.call('PUT', path, { score }), 422)
    expect(await row(session.id)).toEqual(before)
  })

  it('SES-37 is one when 32 rate at once', async () => {
    const { admin } = await newAccount(service)
    const { id } = await newSession(admin)
    const rate = (n: number) => admin.call('PUT', `/sessions/${id}/rating`, { score: (n % 5) + 1 })
    const answers = await Promise.all(Array.from({ length: 32 }, (_, n) => rate(n)))
    expect(answers.map(({ status }) => status)).toEqual(Array(32).fill(200))
    expect(await service.sql('select from session_ratings where session_id = $1', [id])).toHaveLength(1)
  })

  it('WIR-03 is given to no session of another account', async () => {
    const [ours, theirs] = [await newAccount(service), await newAccount(service)]
    const { id } = await newSession(ours.admin)
    expectStatus(await theirs.admin.call('PUT', `/sessions/${id}/rating`, { score: 1 }), 404)
    expectStatus(await theirs.admin.call('PUT', `/sessions/${id}/steps/ping/feedback`, { helpful: false }), 404)
  })
})

describe('feedback on a step', () => {
  it('SES-26 is one per person and step, and leaves the session as it is', async () => {
    const account = await newAccount(service)
    const session = await newSession(account.admin)
    const viewer = await account.colleague({ role: 'viewer' })
    const before = await row(session.id)
    const path = `/sessions/${session.id}/steps/queue/feedback`
    const { status, body } = await viewer.call('PUT', path, { helpful: false, comment: 'Which queue?' })
    expect([status, body]).toEqual([
      200,
      { step_id: 'queue', user_id: viewer.id, helpful: false, comment: 'Which queue?', given_at: body.given_at },
    ])
    expect((await viewer.call('PUT', path, { helpful: true })).body).toMatchObject({ helpful: true, comment: null })
    expectStatus(await account.admin.call('PUT', path, { helpful: false }), 200)
    const kept = await service.sql('select user_id, helpful from session_step_feedback where session_id = $1 order by helpful', [
      session.id,
    ])
    expect(kept).toEqual([
      { user_id: account.admin.id, helpful: false },
      { user_id: viewer.id, helpful: true },
    ])
    const nowhere = await viewer.call('PUT', `/sessions/${session.id}/steps/nowhere/feedback`, { helpful: true })
    expect([nowhere.status, nowhere.body.detail]).toEqual([404, 'Step not found'])
    expectStatus(await viewer.call('PUT', path, {}), 422)
    expect(await row(session.id)).toEqual(before)
  })
})

describe('supporting data', () => {
  it('is added, listed in its order, changed as far as given, and deleted', async () => {
    const { admin } = await newAccount(service)
    const session = await newSession(admin)
    const path = `/sessions/${session.id}/supporting-data`
    const text = await admin.call('POST', path, { kind: 'text', title: 'Ping', content: '0 received', step_id: 'ping' })
    expect([text.status, text.body]).toEqual([
      201,
      {
        ...{ id: text.body.id, session_id: session.id, kind: 'text', title: 'Ping', content: '0 received', upload_id: null },
        ...{ step_id: 'ping', created_by: admin.id, created_by_name: admin.fullName },
        ...{ created_at: text.body.created_at, updated_at: text.body.created_at },
      },
    ])
    const place = (await admin.call('POST', path, { kind: 'screenshot', title: 'The lamp' })).body
    const image = (await upload(service, admin, await picture('png', 12, 8))).body
    expect((await admin.call('PUT', `${path}/${place.id}`, { upload_id: image.id })).body).toMatchObject({
      title: 'The lamp',
      upload_id: image.id,
    })
    await admin.call('POST', `/sessions/${session.id}/complete`, { outcome: 'resolved' })
    const changed = (await admin.call('PUT', `${path}/${text.body.id}`, { content: '4 received', step_id: null })).body
    expect(changed).toEqual({ ...text.body, content: '4 received', step_id: null, updated_at: changed.updated_at })
    expect((await admin.call('PUT', `${path}/${text.body.id}`, {})).body).toEqual(changed)
    const ids = (await admin.call('GET', path)).body.map(({ id }: { id: string }) => id)
    expect(ids).toEqual([text.body.id, place.id])
    expectStatus(await admin.call('DELETE', `${path}/${text.body.id}`), 204)
    expectStatus(await admin.call('DELETE', `${path}/${text.body.id}`), 404)
    expect((await admin.call('GET', path)).body).toHaveLength(1)
  })

  it('WIR-08 refuses what does not make sense, and pictures of others', async () => {
    const [{ admin }, other] = [await newAccount(service), await newAccount(service)]
    const path = `/sessions/${(await newSession(admin)).id}/supporting-data`
    const theirs = (await upload(service, other.admin, await picture('png', 12, 8))).body.id
    const item = (await admin.call('POST', path, { kind: 'text', title: 'x', content: 'y' })).body.id
    const picture_ = { kind: 'screenshot', title: 'x' }
    for (const [method, at, field, body] of [
      ['POST', path, 'content', { kind: 'text', title: 'x' }],
      ['POST', path, 'upload_id', { kind: 'text', title: 'x', content: 'y', upload_id: theirs }],
      ['POST', path, 'upload_id', { ...picture_, upload_id: theirs }],
      ['POST', path, 'step_id', { ...picture_, step_id: 'nowhere' }],
      ['PUT', `${path}/${item}`, 'content', { content: null }],
      ['PUT', `${path}/${item}`, 'upload_id', { upload_id: theirs }],
      ['PUT', `${path}/${item}`, 'step_id', { step_id: 'nowhere' }],
    ] as const) {
      const { status, body: said } = await admin.call(method, at, body)
      expect([status, said.errors[0].loc]).toEqual([422, ['body', field]])
    }
    expect((await admin.call('GET', path)).body).toHaveLength(1)
  })

  it('WIR-04 is read by the account, and written by the session’s user and account admins', async () => {
    const account = await newAccount(service)
    const [owner, colleague] = [await account.colleague(), await account.colleague()]
    const path = `/sessions/${(await newSession(owner)).id}/supporting-data`
    const { id } = (await owner.call('POST', path, { kind: 'screenshot', title: 'x' })).body
    expect((await colleague.call('GET', path)).body).toHaveLength(1)
    expectStatus(await colleague.call('PUT', `${path}/${id}`, { title: 'y' }), 403)
    expectStatus(await colleague.call('DELETE', `${path}/${id}`), 403)
    expect((await account.admin.call('PUT', `${path}/${id}`, { title: 'y' })).body.title).toBe('y')
    const [elsewhere] = [await newSession(owner)]
    expectStatus(await owner.call('PUT', `/sessions/${elsewhere.id}/supporting-data/${id}`, { title: 'z' }), 404)
    expectStatus(await owner.call('DELETE', `/sessions/${elsewhere.id}/supporting-data/${id}`), 404)
  })
})
