import type { Reader, Writer } from '../../lib/http/operation.ts'
import { Problem } from '../../lib/http/problem.ts'
import * as queries from './queries.ts'

export async function list({ db, caller }: Reader) {
  return queries.selectDevices(db, caller.userId, caller.signInId)
}

export async function end({ db, caller }: Writer, id: string) {
  if (!(await queries.endDevice(db, caller.userId, id))) throw new Problem('not_found', 'Sign-in not found')
}
