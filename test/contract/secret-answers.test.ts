import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { operations } from '#functions/operations.ts'
import { type AnyOperation, takesIdempotencyKey } from '#http/operation.ts'
import { sharedService } from '#test/support/app.ts'
import { createFlow } from '#test/support/flows.ts'
import { createAccount } from '#test/support/people.ts'
import { toInlineSchema } from './generators.ts'

interface Field {
  path: string
  schema: { type?: unknown; format?: string }
}

/** List the fields of a JSON schema, at any depth. */
function listFields(schema: unknown, path = ''): Field[] {
  if (typeof schema !== 'object' || schema === null) return []
  const {
    properties = {},
    items,
    anyOf = [],
    oneOf = [],
  } = schema as { properties?: object; items?: unknown; anyOf?: unknown[]; oneOf?: unknown[] }
  const own = Object.entries(properties).flatMap(([name, field]) => [
    { path: `${path}.${name}`, schema: field },
    ...listFields(field, `${path}.${name}`),
  ])
  return [
    ...own,
    ...listFields(items, path),
    ...[...anyOf, ...oneOf].flatMap((part) => listFields(part, path)),
  ]
}

const isSecret = (schema: unknown): boolean => JSON.stringify(schema ?? null).includes('"format":"password"')
const answers = (operations as readonly AnyOperation[]).flatMap((op) =>
  op.returns ? [[op.id, op, toInlineSchema(op.returns as z.ZodType)] as const] : [],
)
/** Names of what opens something, but not of what is only about it. */
const secretName = /(?:^|_)(?:token|secret|password|ticket|recovery_codes|otpauth_url)$/
const noSecrets = ['.ticket', '.must_change_password', '.intake_form.secret', '.reconnect_secret']

describe('an answer with a secret', () => {
  it.each(answers.filter(([, , schema]) => isSecret(schema)))(
    'WIR-65 of %s is not stored for a repeated request',
    (_, op) => {
      expect(takesIdempotencyKey(op)).toBe(false)
    },
  )

  it.each(answers)('WIR-65 of %s is marked', (_, op, schema) => {
    const found = listFields(schema).filter(
      ({ path, schema: field }) =>
        secretName.test(path.split('.').at(-1) ?? '') && JSON.stringify(field).includes('"string"'),
    )
    const unmarked = found.filter(
      ({ path, schema: field }) => !isSecret(field) && !noSecrets.some((name) => path.endsWith(name)),
    )
    expect([op.id, unmarked.map(({ path }) => path)]).toEqual([op.id, []])
  })
})

it('WIR-66 a stored answer is sealed', async () => {
  const service = await sharedService()
  const { admin } = await createAccount(service)
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const { id } = await createFlow(admin)
  const body = { tree_id: id, client_name: 'Quokka Dental', variables: { printer_ip: '10.0.8.21' } }
  const first = await admin.call('POST', '/sessions', body, headers)
  const [row] = await service.sql<{ body: string }>('select body from idempotency_keys where key = $1', [
    headers['idempotency-key'],
  ])
  expect([first.status, row?.body]).toEqual([201, expect.stringMatching(/^1\.[\w-]+\.[\w-]+$/)])
  expect((await admin.call('POST', '/sessions', body, headers)).body).toEqual(first.body)
})
