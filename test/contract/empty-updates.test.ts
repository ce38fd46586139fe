// @module-tag shape
import { expect, it } from 'vitest'
import { operations } from '#functions/operations.ts'
import { sharedService } from '#test/support/app.ts'
import { createAccount } from '#test/support/people.ts'
import { createRequestSetup } from './request-setup.ts'
import { send } from './requests.ts'

const service = await sharedService()
// Their fields have defaults, so a body without a field is a change.
const changing = ['accounts.teams.assignMember', 'notifications.preferences.replace']
const updates = operations.filter(
  ({ id, method, body }) =>
    (method === 'patch' || method === 'put') && body?.safeParse({}).success && !changing.includes(id),
)

it.each(updates.map((op) => [op.id, op] as const))(
  '%s without a field returns the row as it is, and changes nothing',
  async (_, op) => {
    const { sample, person, rows } = await createRequestSetup(service, op)
    const update = () => send(service, op, { ...sample, body: {} }, { token: person.token })
    const before = await rows()
    const { status, body } = await update()
    expect([status, await rows()]).toEqual([op.success, before])
    expect((await update()).body).toEqual(body)
  },
)

// `send` fails for a status that the operation does not declare.
it.each(updates.map((op) => [op.id, op] as const))(
  '%s without a field by an account that has no row is no failure',
  async (_, op) => {
    const { sample } = await createRequestSetup(service, op)
    const { admin } = await createAccount(service)
    const { status } = await send(service, op, { ...sample, body: {} }, { token: admin.token })
    expect(status).toBeLessThan(500)
  },
)
