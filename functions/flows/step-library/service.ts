import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import type { Reader, Writer } from '../../../lib/http/operation.ts'
import { Problem } from '../../../lib/problem.ts'
import * as queries from './queries.ts'
import type { LibraryQuery, LibraryStep, LibraryStepCreate, LibraryStepUpdate } from './schemas.ts'

export async function list({ db }: Reader, query: LibraryQuery & PageQuery) {
  return toPage((await queries.selectSteps(db, query)).map(shown), query.limit)
}

export async function get({ db }: Pick<Reader, 'db'>, id: string): Promise<LibraryStep> {
  return shown((await queries.selectStep(db, id)) ?? missing())
}

export async function create({ db }: Writer, step: LibraryStepCreate) {
  return shown(await queries.insertStep(db, step))
}

export async function update({ db }: Writer, id: string, change: LibraryStepUpdate) {
  const saved = Object.keys(change).length > 0 ? await queries.updateStep(db, id, change) : undefined
  return shown(saved ?? (await findOwn(db, id)))
}

export async function remove({ db }: Writer, id: string) {
  if (!(await queries.deleteStep(db, id))) await findOwn(db, id)
}

async function findOwn(db: Reader['db'], id: string) {
  const step = (await queries.selectStep(db, id)) ?? missing()
  if (!step.may_change) throw new Problem('forbidden', 'Only who made it, an admin of their team or an account admin may change this step')
  if (step.is_flow_synced) throw new Problem('bad_request', 'This step comes from a flow: change it there', { code: 'flow_synced' })
  return step
}

function shown({ may_change: _, ...step }: queries.LibraryStepRow): LibraryStep {
  return step
}

function missing(): never {
  throw new Problem('not_found', 'Library step not found')
}
