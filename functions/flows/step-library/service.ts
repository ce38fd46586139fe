import { nameOrder, type PageQuery, toPage } from '#db/page.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { Problem, throwNotFound } from '#problem.ts'
import * as queries from './queries.ts'
import type { LibraryQuery, LibraryStep, LibraryStepCreate, LibraryStepUpdate } from './schemas.ts'

export async function list({ db }: ReadContext, query: LibraryQuery & PageQuery) {
  return toPage((await queries.selectSteps(db, query)).map(toLibraryStep), query, nameOrder('title'))
}

export async function get({ db }: Pick<ReadContext, 'db'>, id: string): Promise<LibraryStep> {
  return toLibraryStep((await queries.selectStep(db, id)) ?? throwNotFound('Library step'))
}

export async function create({ db }: WriteContext, step: LibraryStepCreate) {
  return toLibraryStep(await queries.insertStep(db, step))
}

export async function update({ db }: WriteContext, id: string, changes: LibraryStepUpdate) {
  const updated = Object.keys(changes).length > 0 ? await queries.updateStep(db, id, changes) : undefined
  return toLibraryStep(updated ?? (await requireEditable(db, id)))
}

export async function remove({ db }: WriteContext, id: string) {
  if (!(await queries.deleteStep(db, id))) await requireEditable(db, id)
}

/**
 * Return the step. Throw 404 when the caller cannot see it, 403 when they may not change it, and 400 when it
 * belongs to a flow.
 */
async function requireEditable(db: ReadContext['db'], id: string) {
  const step = (await queries.selectStep(db, id)) ?? throwNotFound('Library step')
  if (!step.may_change)
    throw new Problem(
      'forbidden',
      'Only its creator, an admin of their team or an account admin may change this step',
    )
  if (step.is_flow_synced) throw new Problem('managed_by_flow')
  return step
}

function toLibraryStep({ may_change: _, ...step }: queries.LibraryStepRow): LibraryStep {
  return step
}
