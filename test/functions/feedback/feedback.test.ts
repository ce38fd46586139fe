import { afterAll, expect, it } from 'vitest'
import { dashboard, sharedService, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()
const betaFeedback = {
  reaction: 'negative',
  category: 'performance',
  text: 'Slow on Mondays.',
  page_url: '/sessions?q=1',
}
const listIds = (response: { body: { id: string }[] }) => response.body.map(({ id }) => id)

it('FBK-02 FBK-03 FBK-05 stores beta feedback of a viewer and returns all its fields to the account admin', async () => {
  const { id, admin, addColleague } = await createAccount(service)
  const viewer = await addColleague({ role: 'viewer' })
  const ai_session_id = crypto.randomUUID()
  const full = expectStatus(
    await viewer.call('POST', '/feedback/beta', { ...betaFeedback, ai_session_id }),
    201,
  )
  expect(full.body).toMatchObject({
    ...betaFeedback,
    ai_session_id,
    account_id: id,
    user_id: viewer.id,
    user_name: viewer.fullName,
  })
  const minimal = await viewer.call('POST', '/feedback/beta', {
    reaction: 'neutral',
    category: 'ui',
    text: 'Fine',
  })
  expect(minimal.body).toMatchObject({ page_url: null, ai_session_id: null })
  expect((await admin.call('GET', '/feedback/beta')).body).toEqual([minimal.body, full.body])
})

it('FBK-04 FBK-05 returns the account’s feedback to its admin, all feedback to a super admin, and 403 to others', async () => {
  const [account, otherAccount] = [await createAccount(service), await createAccount(service)]
  const ownFeedback = await account.admin.call('POST', '/feedback/beta', betaFeedback)
  const otherFeedback = await otherAccount.admin.call('POST', '/feedback/beta', betaFeedback)
  const staff = await account.addColleague({ role: 'viewer', superAdmin: true })
  const engineer = await account.addColleague({ role: 'engineer', teamRole: 'admin' })
  // The database refuses to demote the last super admin.
  await otherAccount.addColleague({ superAdmin: true })
  expect(listIds(await account.admin.call('GET', '/feedback/beta'))).toEqual([ownFeedback.body.id])
  expect(listIds(await account.admin.call('GET', `/feedback/beta?account_id=${otherAccount.id}`))).toEqual([])
  const allIds = listIds(await staff.call('GET', '/feedback/beta?limit=100'))
  expect(allIds).toEqual(expect.arrayContaining([ownFeedback.body.id, otherFeedback.body.id]))
  expect(listIds(await staff.call('GET', `/feedback/beta?account_id=${otherAccount.id}`))).toEqual([
    otherFeedback.body.id,
  ])
  expectStatus(await engineer.call('GET', '/feedback/beta'), 403)
  await service.sql('update users set is_super_admin = false where id = $1', [staff.id])
  expectStatus(await staff.call('GET', '/feedback/beta'), 403)
})

it('FBK-04 filters beta feedback by reaction, category, user, session and time, alone and combined', async () => {
  const { admin, addColleague } = await createAccount(service)
  const colleague = await addColleague({ role: 'viewer' })
  const createFeedback = async (author: Person, fields: object) =>
    (await author.call('POST', '/feedback/beta', { ...betaFeedback, ...fields })).body
  const session = crypto.randomUUID()
  const first = await createFeedback(admin, { reaction: 'positive', ai_session_id: session })
  const second = await createFeedback(colleague, { category: 'idea' })
  const list = async (query: string) => listIds(await admin.call('GET', `/feedback/beta?${query}`))
  expect(await list('reaction=positive')).toEqual([first.id])
  expect(await list('category=idea')).toEqual([second.id])
  expect(await list(`user_id=${colleague.id}`)).toEqual([second.id])
  expect(await list(`ai_session_id=${session}`)).toEqual([first.id])
  expect(await list(`created_after=${first.created_at}&reaction=negative`)).toEqual([second.id])
  expect(await list('created_before=2020-01-01T00:00:00Z')).toEqual([])
  expect(await list('reaction=positive&category=idea')).toEqual([])
  const page = await admin.call('GET', '/feedback/beta?limit=1')
  expect([listIds(page), page.headers.get('link')]).toEqual([[second.id], expect.stringContaining('after=')])
  for (const invalid of ['reaction=angry', 'created_after=0000-01-01T00:00:00Z', 'created_after=yesterday'])
    expectStatus(await admin.call('GET', `/feedback/beta?${invalid}`), 422)
})

it('FBK-06 refuses beta feedback with an unknown reaction or category', async () => {
  const { admin } = await createAccount(service)
  for (const field of ['reaction', 'category']) {
    for (const value of ['great', '', null, 1]) {
      const response = await admin.call('POST', '/feedback/beta', { ...betaFeedback, [field]: value })
      expect([response.status, response.body.errors[0].loc]).toEqual([422, ['body', field]])
    }
  }
  expect((await admin.call('GET', '/feedback/beta')).body).toEqual([])
})

const ownService = await startOwnService()
afterAll(() => ownService.close())
const { listRecords, setFault, clearFaults, advanceClock } = dashboard(ownService)
const listMails = async (email: string) =>
  (await listRecords('mail')).filter(({ to, reply_to }) => to.includes(email) || reply_to.includes(email))

it('FBK-01 stores feedback, sends it to the platform with the author as reply-to, and sends the author a confirmation', async () => {
  const { addColleague } = await createAccount(ownService)
  const author = await addColleague({ role: 'viewer' })
  const input = { subject: 'Shortcuts <b>', message: 'Number keys,\nplease.', page_url: '/sessions/1' }
  const { status, body } = await author.call('POST', '/feedback', input)
  expect([status, body]).toEqual([201, { id: body.id, ...input, created_at: expect.any(String) }])
  expect(await ownService.sql('select user_id, message from feedback where id = $1', [body.id])).toEqual([
    { user_id: author.id, message: input.message },
  ])
  await expect.poll(() => listMails(author.email)).toHaveLength(2)
  const mails = await listMails(author.email)
  const platformMail = mails.find(({ to }) => to.includes('feedback@supportflow.example'))
  expect(platformMail).toMatchObject({ subject: 'Feedback: Shortcuts <b>', reply_to: [author.email] })
  expect(platformMail.text).toContain('Number keys,\nplease.')
  expect(platformMail.html).toContain('Shortcuts &lt;b&gt;')
  expect(mails.find(({ to }) => to.includes(author.email))?.text).toContain('Thank you')
})

it('FBK-01 stores feedback while the mail service and the queue are down, and sends both e-mails later', async () => {
  const { admin } = await createAccount(ownService)
  for (const vendor of ['resend', 'qstash']) await setFault({ service: vendor, mode: 'down' })
  expectStatus(await admin.call('POST', '/feedback', { subject: 'Down', message: 'Everything.' }), 201)
  await clearFaults()
  for (const seconds of [31, 121]) await advanceClock(seconds)
  await expect.poll(() => listMails(admin.email)).toHaveLength(2)
})
