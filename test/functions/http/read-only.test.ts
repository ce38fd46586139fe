// @module-tag mechanism
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { inTransaction, openScope, type WriteDb } from '#db/scope.ts'
import { getSqlState } from '#db/sqlstate.ts'
import { writeStatement } from '#db/statement.ts'
import { sharedService } from '#test/support/app.ts'
import { openTestDatabase } from '#test/support/databases.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()
const renameTeams = writeStatement(null, () => sql`update teams set name = 'Renamed'`)

/** Write calls that `ReadDb`, the database type of a GET, does not offer. PostgreSQL must refuse them too. */
const writes: [name: string, write: (db: WriteDb) => Promise<unknown>][] = [
  ['a builder query', (db) => db.updateTable('teams').set({ name: 'Renamed' }).execute()],
  ['a statement', (db) => renameTeams.run(db)],
  ['a batch', (db) => db.batch([renameTeams.query()])],
  ['a transaction', (db) => inTransaction(db, (tx) => renameTeams.run(tx))],
]

it.each(writes)('the database of a GET refuses %s that writes', async (_, write) => {
  const { admin, id } = await createAccount(service)
  const { DATABASE_URL = '' } = service.settings
  const caller = { userId: admin.id, accountId: id, signInId: admin.signInId }
  const scope = openScope(
    openTestDatabase(DATABASE_URL),
    { caller, access: 'user', skipGuards: 'none', ip: '', readOnly: true },
    () => {},
  )
  const error = await write(scope.db).catch((thrown: unknown) => thrown)
  // read_only_sql_transaction, https://www.postgresql.org/docs/18/errcodes-appendix.html
  expect(getSqlState(error)).toBe('25006')
  expect(await service.sql('select name from teams where account_id = $1', [id])).toEqual([
    { name: 'Test team' },
  ])
})
