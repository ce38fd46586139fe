import { expect, it } from 'vitest'
import type * as z from 'zod'
import { operations } from '#functions/operations.ts'
import { requiresToken } from '#http/operation.ts'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'
import { getFixture } from './fixtures.ts'
import { createPermittedCaller, send } from './requests.ts'

const service = await sharedService()

// An image in a page, and what a calendar program subscribes to.
const shownInPlace = ['uploads.get']

const files = operations.filter(({ produces = [] }) =>
  produces.some((type: string) => type !== 'text/event-stream' && type !== 'text/html'),
)
const cases = files
  .filter(({ produces }) => !produces?.includes('text/event-stream'))
  .flatMap((op) => {
    const format = op.query?.shape.format as z.ZodDefault<z.ZodEnum> | undefined
    const formats = format ? format.unwrap().options.map(String) : ['']
    return formats.map((name) => [op.id, name, op] as const)
  })

it.each(cases)(
  'WIR-91 a file of %s %s has a name in ASCII beside the name itself',
  async (id, format, op) => {
    const account = await createAccount(service)
    const person = await createPermittedCaller(op, account)
    const sample = await getFixture(op)(service, person)
    const query = format ? { ...sample.query, format } : sample.query
    const answer = await send(
      service,
      op,
      { ...sample, ...(query ? { query } : {}) },
      requiresToken(op) ? { token: person.token } : {},
    )
    expectStatus(answer, 200)
    const disposition = answer.headers.get('content-disposition')
    // JSON is also an answer that no browser offers to save.
    if (shownInPlace.includes(id) || (format === 'json' && disposition === null)) return
    expect(disposition).toMatch(/^attachment; filename="[\w .()-]+"; filename\*=UTF-8''[\w.%~-]+$/)
  },
)
