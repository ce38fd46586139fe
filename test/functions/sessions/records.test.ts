import { createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CaseRecord, type SignedRecord, verifyRecord } from '#client/client.ts'
import { type CaseKind, caseTables } from '#functions/sessions/records/queries.ts'
import { insertFullAiSession } from '#test/contract/fixtures-ai.ts'
import { insertFullSession } from '#test/contract/fixtures-sessions.ts'
import { type Service, sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createImage, uploadImage } from '#test/support/images.ts'
import { casesByDay } from '#test/support/night.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { createChildFlow, createParentFlow, startRun } from '#test/support/subflows.ts'

const service = await sharedService()

/** Tables that belong to a case and that its record leaves out, with the reason. */
const leftOut: Record<string, string> = {
  session_timers: 'state of reminders',
  session_ratings: 'an opinion on the flow',
  session_step_feedback: 'an opinion on the flow',
  runner_runs: 'what ended is in script_runs',
  ai_feedback: 'an opinion on the model',
  ai_calls: 'costs',
  ai_embeddings: 'computed from other rows',
  beta_feedback: 'an opinion on the product',
  script_builder_sessions: 'drafts of a script',
  escalation_reminders: 'state of deliveries',
  knowledge_entries: 'words of other rows',
  alerts: 'the case has what they said',
}

const cases: [kind: CaseKind, path: string, insert: (owner: Person) => Promise<string>][] = [
  ['session', '/sessions', async (owner) => (await insertFullSession(service, owner)).session_id],
  ['ai_session', '/ai-sessions', async (owner) => (await insertFullAiSession(service, owner)).session_id],
]

async function readRecord(person: Person, path: string, id: string) {
  const signed: SignedRecord = expectStatus(await person.call('GET', `${path}/${id}/record`), 200).body
  const record: CaseRecord = JSON.parse(signed.record)
  return { signed, record }
}

async function readKeys({ api }: Pick<Service, 'api'>) {
  const response = await fetch(`${api}/.well-known/jwks.json`)
  return (await response.json()) as { keys: ({ kid: string; x: string } & JsonWebKey)[] }
}

describe('the record of a case', () => {
  it.each(cases)('REC-01 has the rows of every table that belongs to %s', async (kind, path, insert) => {
    const { admin } = await createAccount(service)
    const id = await insert(admin)
    const { record } = await readRecord(admin, path, id)
    expect(record).toMatchObject({ kind, id, account: { id: admin.accountId }, version: 1 })
    const tables = await service.sql<{ name: string; column: string }>(
      `select c.conrelid::regclass::text as name,
              (select a.attname::text from pg_attribute a where a.attrelid = c.conrelid and a.attnum = any (c.conkey) and a.attname <> 'account_id' limit 1) as column
         from pg_constraint c where c.contype = 'f' and c.confrelid = $1::regclass and c.conrelid <> c.confrelid`,
      [`${kind}s`],
    )
    expect(tables.length).toBeGreaterThan(8)
    for (const { name, column } of tables) {
      if (name in leftOut) continue
      const stored = await service.sql(`select 1 from ${name} where account_id = $1 and ${column} = $2`, [
        admin.accountId,
        id,
      ])
      expect([name, record.records[name]?.length]).toEqual([name, stored.length])
    }
  })

  it('REC-01 has what was asked, the sub-flows, and the hash of each image', async () => {
    const { admin, addColleague } = await createAccount(service)
    const person = await addColleague()
    const child = await createChildFlow(person)
    const run = await startRun(person, (await createParentFlow(person, child.id)).id)
    const part = expectStatus(
      await person.call('POST', `/sessions/${run.id}/subflows`, { variables: { server: 'srv-1' } }),
      201,
    ).body
    const image = (await uploadImage(service, person, await createImage('png', 8, 8))).body
    const body = { kind: 'screenshot', title: 'Seen', upload_id: image.id }
    expectStatus(await person.call('POST', `/sessions/${part.id}/supporting-data`, body), 201)
    const { records } = (await readRecord(admin, '/sessions', run.id)).record
    expect(records.sessions?.map((session) => session.id).sort()).toEqual([run.id, part.id].sort())
    expect(records.tree_versions).toHaveLength(2)
    const file = await fetch(`${service.api}/api/v1/uploads/${image.id}`, {
      headers: { authorization: `Bearer ${person.token}` },
    })
    const hash = Buffer.from(await crypto.subtle.digest('SHA-256', await file.arrayBuffer())).toString('hex')
    expect(records.uploads).toMatchObject([{ id: image.id, sha256: hash }])
  })

  it.each(cases)('REC-02 of %s is verified without the service', async (_, path, insert) => {
    const { admin } = await createAccount(service)
    const { signed, record } = await readRecord(admin, path, await insert(admin))
    const keys = await readKeys(service)
    expect(await verifyRecord(signed, keys)).toEqual(record)
    const key = createPublicKey({ key: keys.keys[0] as JsonWebKey, format: 'jwk' })
    const isValid = verify(null, Buffer.from(signed.record), key, Buffer.from(signed.signature, 'base64url'))
    expect(isValid).toBe(true)
  })

  it('REC-02 is refused after any change of one character', async () => {
    const { admin } = await createAccount(service)
    const { signed } = await readRecord(
      admin,
      '/ai-sessions',
      (await insertFullAiSession(service, admin)).session_id,
    )
    const keys = await readKeys(service)
    const field = fc.constantFrom('record', 'record', 'record', 'signature', 'key_id')
    const change = fc.record({
      field: field as fc.Arbitrary<'record' | 'signature' | 'key_id'>,
      place: fc.nat(),
      text: fc.oneof(fc.string({ unit: 'binary', maxLength: 1 }), fc.constantFrom('A', '-', 'w', ' ')),
    })
    await fc.assert(
      fc.asyncProperty(change, async ({ field, place, text }) => {
        const at = place % signed[field].length
        const changed = signed[field].slice(0, at) + text + signed[field].slice(at + 1)
        fc.pre(changed !== signed[field])
        await expect(verifyRecord({ ...signed, [field]: changed }, keys)).rejects.toThrow(
          /was changed|No key/,
        )
      }),
      { numRuns: casesByDay(1000) },
    )
  })

  it('REC-03 is only for those who may read the case', async () => {
    const { admin, addColleague } = await createAccount(service)
    const { session_id } = await insertFullAiSession(service, await addColleague())
    expectStatus(await admin.call('GET', `/ai-sessions/${session_id}`), 404)
    expectStatus(await admin.call('GET', `/ai-sessions/${session_id}/record`), 404)
  })

  it.each(cases)('REC-04 of %s names people by their ids alone', async (_, path, insert) => {
    const { admin } = await createAccount(service)
    const { signed } = await readRecord(admin, path, await insert(admin))
    expect(signed.record).not.toContain(admin.fullName)
    expect(signed.record).not.toContain(admin.email)
    expect(signed.people).toEqual([{ id: admin.id, full_name: admin.fullName }])
  })

  it('REC-06 of more than 8 MiB is refused', async () => {
    const { admin } = await createAccount(service)
    const { session_id } = await insertFullSession(service, admin)
    await service.sql(
      `insert into script_runs (account_id, session_id, title, script, target, output, started_at, ended_at, run_by)
       select $1, $2, 'Long', 'dir', 'PRN-1', repeat('x', 131072), now(), now(), $3 from generate_series(1, 65)`,
      [admin.accountId, session_id, admin.id],
    )
    const refused = expectStatus(await admin.call('GET', `/sessions/${session_id}/record`), 409)
    expect(refused.body).toMatchObject({ code: 'limit_reached' })
  })
})

it('REC-05 the keys are public, with their use', async () => {
  const { keys } = await readKeys(service)
  expect(keys).toEqual([
    {
      ...{ kty: 'OKP', crv: 'Ed25519', alg: 'Ed25519', use: 'sig', kid: 'local' },
      x: expect.stringMatching(/^[\w-]{43}$/),
    },
  ])
  expect(Object.keys(caseTables)).toEqual(cases.map(([kind]) => kind))
})
