import { afterAll, expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { desk, ownService, shared } from '../../support/app.ts'
import { newAccount, type Person } from '../../support/people.ts'

const service = shared()
const beta = { reaction: 'negative', category: 'performance', text: 'Slow on Mondays.', page_url: '/sessions?q=1' }
const ids = (answer: { body: { id: string }[] }) => answer.body.map(({ id }) => id)

it('FBK-02 FBK-03 FBK-05 takes beta feedback from a viewer and shows the account admin all of what was sent', async () => {
  const { id, admin, colleague } = await newAccount(service)
  const viewer = await colleague({ role: 'viewer' })
  const ai_session_id = crypto.randomUUID()
  const made = await viewer.call('POST', '/feedback/beta', { ...beta, ai_session_id })
  expectStatus(made, 201)
  expect(made.body).toMatchObject({ ...beta, ai_session_id, account_id: id, user_id: viewer.id, user_name: viewer.fullName })
  const bare = await viewer.call('POST', '/feedback/beta', { reaction: 'neutral', category: 'ui', text: 'Fine' })
  expect(bare.body).toMatchObject({ page_url: null, ai_session_id: null })
  expect((await admin.call('GET', '/feedback/beta')).body).toEqual([bare.body, made.body])
})

it('FBK-04 FBK-05 shows an account admin the own account, a super admin all, and nobody else any', async () => {
  const [ours, theirs] = [await newAccount(service), await newAccount(service)]
  const [mine, foreign] = [await ours.admin.call('POST', '/feedback/beta', beta), await theirs.admin.call('POST', '/feedback/beta', beta)]
  const staff = await ours.colleague({ role: 'viewer', superAdmin: true })
  const engineer = await ours.colleague({ role: 'engineer', teamRole: 'admin' })
  await theirs.colleague({ superAdmin: true })
  expect(ids(await ours.admin.call('GET', '/feedback/beta'))).toEqual([mine.body.id])
  expect(ids(await ours.admin.call('GET', `/feedback/beta?account_id=${theirs.id}`))).toEqual([])
  const all = ids(await staff.call('GET', '/feedback/beta?limit=100'))
  expect(all).toEqual(expect.arrayContaining([mine.body.id, foreign.body.id]))
  expect(ids(await staff.call('GET', `/feedback/beta?account_id=${theirs.id}`))).toEqual([foreign.body.id])
  expectStatus(await engineer.call('GET', '/feedback/beta'), 403)
  await service.sql('update users set is_super_admin = false where id = $1', [staff.id])
  expectStatus(await staff.call('GET', '/feedback/beta'), 403)
})

it('FBK-04 filters by reaction, category, person, session and time, all at once', async () => {
  const { admin, colleague } = await newAccount(service)
  const other = await colleague({ role: 'viewer' })
  const say = async (person: Person, more: object) => (await person.call('POST', '/feedback/beta', { ...beta, ...more })).body
  const session = crypto.randomUUID()
  const first = await say(admin, { reaction: 'positive', ai_session_id: session })
  const second = await say(other, { category: 'idea' })
  const list = async (query: string) => ids(await admin.call('GET', `/feedback/beta?${query}`))
  expect(await list('reaction=positive')).toEqual([first.id])
  expect(await list('category=idea')).toEqual([second.id])
  expect(await list(`user_id=${other.id}`)).toEqual([second.id])
  expect(await list(`ai_session_id=${session}`)).toEqual([first.id])
  expect(await list(`created_after=${first.created_at}&reaction=negative`)).toEqual([second.id])
  expect(await list('created_before=2020-01-01T00:00:00Z')).toEqual([])
  expect(await list('reaction=positive&category=idea')).toEqual([])
  const page = await admin.call('GET', '/feedback/beta?limit=1')
  expect([ids(page), page.headers.get('link')]).toEqual([[second.id], expect.stringContaining('skip=1')])
  for (const wrong of ['reaction=angry', 'created_after=0000-01-01T00:00:00Z', 'created_after=yesterday'])
    expectStatus(await admin.call('GET', `/feedback/beta?${wrong}`), 422)
})

it('FBK-06 refuses an unknown reaction or category', async () => {
  const { admin } = await newAccount(service)
  for (const field of ['reaction', 'category']) {
    for (const value of ['great', '', null, 1]) {
      const answer = await admin.call('POST', '/feedback/beta', { ...beta, [field]: value })
      expect([answer.status, answer.body.errors[0].loc]).toEqual([422, ['body', field]])
    }
  }
  expect((await admin.call('GET', '/feedback/beta')).body).toEqual([])
})

const own = await ownService()
afterAll(() => own.close())
const { read, fault, lift, advance } = desk(own)
const mailsOf = async (email: string) => (await read('mail')).filter(({ to, reply_to }) => to.includes(email) || reply_to.includes(email))

it('FBK-01 stores feedback and mails it to us, with the author to answer to, and to its author', async () => {
  const { colleague } = await newAccount(own)
  const person = await colleague({ role: 'viewer' })
  const input = { subject: 'Shortcuts <b>', message: 'Number keys,\nplease.', page_url: '/sessions/1' }
  const { status, body } = await person.call('POST', '/feedback', input)
  expect([status, body]).toEqual([201, { id: body.id, ...input, created_at: expect.any(String) }])
  expect(await own.sql('select user_id, message from feedback where id = $1', [body.id])).toEqual([
    { user_id: person.id, message: input.message },
  ])
  await expect.poll(() => mailsOf(person.email)).toHaveLength(2)
  const mails = await mailsOf(person.email)
  const ours = mails.find(({ to }) => to.includes('feedback@supportflow.example'))
  expect(ours).toMatchObject({ subject: 'Feedback: Shortcuts <b>', reply_to: [person.email] })
  expect(ours.text).toContain('Number keys,\nplease.')
  expect(ours.html).toContain('Shortcuts &lt;b&gt;')
  expect(mails.find(({ to }) => to.includes(person.email))?.text).toContain('Thank you')
})

it('FBK-01 stores feedback while mail and queue are down, and loses no mail', async () => {
  const { admin } = await newAccount(own)
  for (const down of ['resend', 'qstash']) await fault({ service: down, mode: 'down' })
  expectStatus(await admin.call('POST', '/feedback', { subject: 'Down', message: 'Everything.' }), 201)
  await lift()
  for (const seconds of [31, 121]) await advance(seconds)
  await expect.poll(() => mailsOf(admin.email)).toHaveLength(2)
})
