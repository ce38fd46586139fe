// @module-tag mechanism
import { expect, it } from 'vitest'
import { openScope } from '#db/scope.ts'
import { insertFacts } from '#functions/ai/turns/queries.ts'
import { createAiSession } from '#test/support/ai.ts'
import { sharedService } from '#test/support/app.ts'
import { openTestDatabase } from '#test/support/databases.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()

it('a turn stores facts up to the limit of a session, and neither more nor a key twice', async () => {
  const owner = (await createAccount(service)).admin
  const session = await createAiSession(owner, {})
  await service.sql(
    `insert into ai_facts (account_id, session_id, key, value, source, created_by)
     select $1, $2, 'known ' || n, 'x', 'ai', $3 from generate_series(1, 198) n`,
    [owner.accountId, session.id, owner.id],
  )
  const { DATABASE_URL = '' } = service.settings
  const caller = { userId: owner.id, accountId: owner.accountId, signInId: owner.signInId }
  const options = { caller, access: 'engineer', skipGuards: 'none', ip: '', readOnly: false } as const
  const { db } = openScope(openTestDatabase(DATABASE_URL), options, () => {})
  const facts = ['known 1', 'a', 'b', 'c', 'd'].map((key) => ({ key, value: 'y' }))
  await insertFacts.run(db, session.id, facts)
  const rows = await service.sql<{ key: string }>(
    `select key from ai_facts where session_id = $1 and value = 'y' order by key`,
    [session.id],
  )
  expect(rows.map(({ key }) => key)).toEqual(['a', 'b'])
  const [updated] = await service.sql<{ state_version: number }>(
    'select state_version from ai_sessions where id = $1',
    [session.id],
  )
  expect(updated?.state_version).toBe(session.state_version + 2)
})
