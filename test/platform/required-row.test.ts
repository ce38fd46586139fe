// @module-tag mechanism
import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { ignoreMissingRow, requireRow } from '#db/required-row.ts'
import { inTransaction, openScope, type WriteDb } from '#db/scope.ts'
import { getSqlState } from '#db/sqlstate.ts'
import { writeStatement } from '#db/statement.ts'
import { openNeon } from '#platform/cloudflare/neon.ts'
import { openPostgres } from '#platform/node/postgres.ts'
import { sharedService } from '#test/support/app.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()
const { DATABASE_URL: url = '', QSTASH_URL = '' } = service.settings
const { host, origin } = new URL(QSTASH_URL)
const postgres = openPostgres({ url, maxConnections: 2 })
afterAll(() => postgres.close())
const drivers = [
  ['Node', postgres],
  ['Neon', openNeon({ url, httpEndpoint: `${origin}/sql`, wsProxy: `${host}/v2` })],
] as const

const renameTeam = writeStatement(z.object({ name: z.string() }), (from: string, to: string) =>
  requireRow(sql`
    update teams set name = ${to} where account_id = app.account_id() and name = ${from} returning name`),
)
const renameAccount = writeStatement(
  null,
  (name: string) => sql`update accounts set name = ${name} where id = app.account_id()`,
)

describe.each(drivers)('a batch with a required row, on %s', (_, database) => {
  /** Open the scope of a new account, whose only team is "Test team". */
  async function openTestScope() {
    const { admin, id } = await createAccount(service)
    const caller = { userId: admin.id, accountId: id, signInId: admin.signInId }
    const { db } = openScope(
      database,
      { caller, access: 'user', skipGuards: 'none', ip: '', readOnly: false },
      () => {},
    )
    const selectNames = async () => {
      const text =
        'select a.name as account, t.name as team from accounts a join teams t on t.account_id = a.id where a.id = $1'
      return (await service.sql(text, [id]))[0]
    }
    return { db, selectNames, names: await selectNames() }
  }
  const rename = (db: WriteDb, from: string) =>
    db.batch([renameTeam.query(from, 'Renamed'), renameAccount.query('Renamed')])

  it('runs whole and returns the row', async () => {
    const { db, selectNames } = await openTestScope()
    expect((await rename(db, 'Test team'))[0]).toEqual([{ name: 'Renamed' }])
    expect(await selectNames()).toEqual({ account: 'Renamed', team: 'Renamed' })
  })

  it('changes nothing when the row is missing', async () => {
    const { db, selectNames, names } = await openTestScope()
    expect(await rename(db, 'Another team').catch(getSqlState)).toBe('SF409')
    expect(await selectNames()).toEqual(names)
  })

  it('is undone alone in a transaction, which goes on', async () => {
    const { db, selectNames, names } = await openTestScope()
    await inTransaction(db, async (tx) => {
      expect(await rename(tx, 'Another team').catch(ignoreMissingRow)).toBeUndefined()
      await renameTeam.run(tx, 'Test team', 'Second')
    })
    expect(await selectNames()).toEqual({ ...names, team: 'Second' })
  })
})
