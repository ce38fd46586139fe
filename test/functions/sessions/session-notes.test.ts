import { describe, expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createImage, uploadImage } from '#test/support/images.ts'
import { createAccount } from '#test/support/people.ts'
import { createSession } from '#test/support/sessions.ts'

const service = await sharedService()
const selectSessionRow = async (id: string) =>
  (await service.sql('select s::text as row from sessions s where id = $1', [id]))[0]

describe('a rating', () => {
  it('SES-37 SES-26 lets anyone in the account rate a session, and replaces the previous rating', async () => {
    const account = await createAccount(service)
    const session = await createSession(account.admin)
    const viewer = await account.addColleague({ role: 'viewer' })
    const path = `/sessions/${session.id}/rating`
    const initialRow = await selectSessionRow(session.id)
    await expectRefusal(viewer.client.sessions.notes.getRating({ session_id: session.id }), 404)
    const first = await account.admin.call('PUT', path, { score: 2, comment: 'Slow' })
    expect([first.status, first.body]).toEqual([
      200,
      {
        score: 2,
        comment: 'Slow',
        rated_by: account.admin.id,
        rated_by_name: account.admin.fullName,
        rated_at: first.body.rated_at,
      },
    ])
    const second = await viewer.client.sessions.notes.rateSession({ session_id: session.id, score: 5 })
    expect(second).toMatchObject({ score: 5, comment: null, rated_by: viewer.id })
    expect(await account.admin.client.sessions.notes.getRating({ session_id: session.id })).toEqual(second)
    expect(await service.sql('select from session_ratings where session_id = $1', [session.id])).toHaveLength(
      1,
    )
    for (const score of [0, 6, 2.5, '5', null]) expectStatus(await viewer.call('PUT', path, { score }), 422)
    expect(await selectSessionRow(session.id)).toEqual(initialRow)
  })

  it('SES-37 stores one rating for 32 concurrent requests', async () => {
    const { admin } = await createAccount(service)
    const { id } = await createSession(admin)
    const rate = (n: number) => admin.call('PUT', `/sessions/${id}/rating`, { score: (n % 5) + 1 })
    const responses = await Promise.all(Array.from({ length: 32 }, (_, n) => rate(n)))
    expect(responses.map(({ status }) => status)).toEqual(Array(32).fill(200))
    expect(await service.sql('select from session_ratings where session_id = $1', [id])).toHaveLength(1)
  })

  it('WIR-03 returns 404 for a rating or step feedback on a session of another account', async () => {
    const [ours, theirs] = [await createAccount(service), await createAccount(service)]
    const { id } = await createSession(ours.admin)
    await expectRefusal(theirs.admin.client.sessions.notes.rateSession({ session_id: id, score: 1 }), 404)
    await expectRefusal(
      theirs.admin.client.sessions.notes.rateStep({ session_id: id, step_id: 'ping', helpful: false }),
      404,
    )
  })
})

describe('feedback on a step', () => {
  it('SES-26 stores step feedback once per user and step, and does not change the session', async () => {
    const account = await createAccount(service)
    const session = await createSession(account.admin)
    const viewer = await account.addColleague({ role: 'viewer' })
    const initialRow = await selectSessionRow(session.id)
    const path = `/sessions/${session.id}/steps/queue/feedback`
    const { status, body } = await viewer.call('PUT', path, { helpful: false, comment: 'Which queue?' })
    expect([status, body]).toEqual([
      200,
      {
        step_id: 'queue',
        user_id: viewer.id,
        helpful: false,
        comment: 'Which queue?',
        given_at: body.given_at,
      },
    ])
    expect(
      await viewer.client.sessions.notes.rateStep({
        session_id: session.id,
        step_id: 'queue',
        helpful: true,
      }),
    ).toMatchObject({
      helpful: true,
      comment: null,
    })
    await account.admin.client.sessions.notes.rateStep({
      session_id: session.id,
      step_id: 'queue',
      helpful: false,
    })
    const feedbackRows = await service.sql(
      'select user_id, helpful from session_step_feedback where session_id = $1 order by helpful',
      [session.id],
    )
    expect(feedbackRows).toEqual([
      { user_id: account.admin.id, helpful: false },
      { user_id: viewer.id, helpful: true },
    ])
    const unknownStep = await viewer.call('PUT', `/sessions/${session.id}/steps/nowhere/feedback`, {
      helpful: true,
    })
    expect([unknownStep.status, unknownStep.body.detail]).toEqual([404, 'Step not found'])
    expectStatus(await viewer.call('PUT', path, {}), 422)
    expect(await selectSessionRow(session.id)).toEqual(initialRow)
  })
})

describe('supporting data', () => {
  it('adds, lists in order, updates and deletes supporting data', async () => {
    const { admin } = await createAccount(service)
    const session = await createSession(admin)
    const path = `/sessions/${session.id}/supporting-data`
    const text = await admin.call('POST', path, {
      kind: 'text',
      title: 'Ping',
      content: '0 received',
      step_id: 'ping',
    })
    expect([text.status, text.body]).toEqual([
      201,
      {
        id: text.body.id,
        session_id: session.id,
        kind: 'text',
        title: 'Ping',
        content: '0 received',
        upload_id: null,
        step_id: 'ping',
        created_by: admin.id,
        created_by_name: admin.fullName,
        created_at: text.body.created_at,
        updated_at: text.body.created_at,
      },
    ])
    const screenshot = await admin.client.sessions.notes.addSupportingData({
      session_id: session.id,
      kind: 'screenshot',
      title: 'The lamp',
    })
    const image = (await uploadImage(service, admin, await createImage('png', 12, 8))).body
    expect(
      await admin.client.sessions.notes.updateSupportingData({
        session_id: session.id,
        item_id: screenshot.id,
        upload_id: image.id,
      }),
    ).toMatchObject({
      title: 'The lamp',
      upload_id: image.id,
    })
    await admin.client.sessions.steps.complete({ session_id: session.id, outcome: 'resolved' })
    const updated = await admin.client.sessions.notes.updateSupportingData({
      session_id: session.id,
      item_id: text.body.id,
      content: '4 received',
      step_id: null,
    })
    expect(updated).toEqual({
      ...text.body,
      content: '4 received',
      step_id: null,
      updated_at: updated.updated_at,
    })
    expect(
      await admin.client.sessions.notes.updateSupportingData({
        session_id: session.id,
        item_id: text.body.id,
      }),
    ).toEqual(updated)
    const ids = (await admin.client.sessions.notes.listSupportingData({ session_id: session.id })).map(
      ({ id }) => id,
    )
    expect(ids).toEqual([text.body.id, screenshot.id])
    await admin.client.sessions.notes.deleteSupportingData({ session_id: session.id, item_id: text.body.id })
    await expectRefusal(
      admin.client.sessions.notes.deleteSupportingData({ session_id: session.id, item_id: text.body.id }),
      404,
    )
    expect(await admin.client.sessions.notes.listSupportingData({ session_id: session.id })).toHaveLength(1)
  })

  it('WIR-08 rejects supporting data with inconsistent fields, an unknown step or another account’s image', async () => {
    const [{ admin }, otherAccount] = [await createAccount(service), await createAccount(service)]
    const session_id = (await createSession(admin)).id
    const path = `/sessions/${session_id}/supporting-data`
    const foreignUploadId = (await uploadImage(service, otherAccount.admin, await createImage('png', 12, 8)))
      .body.id
    const itemId = (
      await admin.client.sessions.notes.addSupportingData({
        session_id,
        kind: 'text',
        title: 'x',
        content: 'y',
      })
    ).id
    const newScreenshot = { kind: 'screenshot', title: 'x' }
    for (const [method, url, field, body] of [
      ['POST', path, 'content', { kind: 'text', title: 'x' }],
      ['POST', path, 'upload_id', { kind: 'text', title: 'x', content: 'y', upload_id: foreignUploadId }],
      ['POST', path, 'upload_id', { ...newScreenshot, upload_id: foreignUploadId }],
      ['POST', path, 'step_id', { ...newScreenshot, step_id: 'nowhere' }],
      ['PUT', `${path}/${itemId}`, 'content', { content: null }],
      ['PUT', `${path}/${itemId}`, 'upload_id', { upload_id: foreignUploadId }],
      ['PUT', `${path}/${itemId}`, 'step_id', { step_id: 'nowhere' }],
    ] as const) {
      const { status, body: problem } = await admin.call(method, url, body)
      expect([status, problem.errors[0].loc]).toEqual([422, ['body', field]])
    }
    expect(await admin.client.sessions.notes.listSupportingData({ session_id })).toHaveLength(1)
  })

  it('WIR-04 lets the account read supporting data, but only the session’s user and account admins change it', async () => {
    const account = await createAccount(service)
    const [owner, colleague] = [await account.addColleague(), await account.addColleague()]
    const session_id = (await createSession(owner)).id
    const { id } = await owner.client.sessions.notes.addSupportingData({
      session_id,
      kind: 'screenshot',
      title: 'x',
    })
    expect(await colleague.client.sessions.notes.listSupportingData({ session_id })).toHaveLength(1)
    await expectRefusal(
      colleague.client.sessions.notes.updateSupportingData({ session_id, item_id: id, title: 'y' }),
      403,
    )
    await expectRefusal(
      colleague.client.sessions.notes.deleteSupportingData({ session_id, item_id: id }),
      403,
    )
    expect(
      (
        await account.admin.client.sessions.notes.updateSupportingData({
          session_id,
          item_id: id,
          title: 'y',
        })
      ).title,
    ).toBe('y')
    const otherSession = await createSession(owner)
    await expectRefusal(
      owner.client.sessions.notes.updateSupportingData({
        session_id: otherSession.id,
        item_id: id,
        title: 'z',
      }),
      404,
    )
    await expectRefusal(
      owner.client.sessions.notes.deleteSupportingData({ session_id: otherSession.id, item_id: id }),
      404,
    )
  })
})
