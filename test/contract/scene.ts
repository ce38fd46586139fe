import type { AnyOperation } from '../../lib/http/operation.ts'
import type { Service } from '../support/app.ts'
import { createAccount } from '../support/people.ts'
import { fixtureOf } from './fixtures.ts'
import { permitted } from './requests.ts'
import { rowsOf } from './rows.ts'

/** Someone in a fresh account whom the operation lets in, a valid request of theirs, and what the account holds. */
export async function sceneOf(service: Service, op: AnyOperation) {
  const account = await createAccount(service)
  const person = await permitted(op, account)
  const sample = await fixtureOf(op)(service, person)
  return { account, person, sample, rows: () => rowsOf(service, account.id) }
}
