import { describeFailure } from '#db/migrate/failure.ts'
import { getSqlState } from '#db/sqlstate.ts'

/** Return why a command that needs a migrated database failed, with the remedy where it has no tables. */
export function describeCommandFailure(error: unknown): string {
  const state = getSqlState(error)
  return state === '42P01' || state === '3F000'
    ? 'The database has no tables of the service: run `npm run migrate`, or correct the database in DATABASE_OWNER_URL.'
    : describeFailure(error)
}
