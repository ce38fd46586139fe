import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import { nameTaken, noSuch } from '../../../lib/db/sqlstate.ts'
import type { Reader, Writer } from '../../../lib/http/operation.ts'
import { changedMeanwhile, invalid, Problem } from '../../../lib/problem.ts'
import { type Rendered, renderScript, type Template, templateProblems, valueProblems } from '../../../lib/scripts/render.ts'
import { slugOf } from '../../../lib/text/slug.ts'
import * as queries from './queries.ts'
import type { ScriptCreate, ScriptQuery, ScriptTemplate, ScriptUpdate } from './schemas.ts'

export async function list({ db }: Reader, query: ScriptQuery & PageQuery) {
  return toPage(await queries.selectScripts(db, query), query.limit)
}

export async function get({ db }: Pick<Reader, 'db'>, id: string): Promise<ScriptTemplate> {
  return shown(await find(db, id))
}

export async function create({ db }: Pick<Writer, 'db'>, script: ScriptCreate): Promise<ScriptTemplate> {
  requireSafe({ ...script, parameters_schema: script.parameters_schema ?? [] })
  return shown(await queries.insertScript(db, script, newSlug(script.name)).catch(noSuch('category_id', 'category', 'category')))
}

export async function update({ db }: Writer, id: string, change: ScriptUpdate): Promise<ScriptTemplate> {
  for (let tries = 0; tries < 5; tries++) {
    const current = await findOwn(db, id)
    if (Object.keys(change).length === 0) return shown(current)
    const { language = current.language, script_body = current.script_body, parameters_schema = current.parameters_schema } = change
    requireSafe({ language, script_body, parameters_schema })
    const saved = await queries.updateScript(db, id, current.updated_at, change).catch(noSuch('category_id', 'category', 'category'))
    if (saved) return shown(saved)
  }
  throw changedMeanwhile('script')
}

export async function share({ db }: Writer, id: string, isShared: boolean): Promise<ScriptTemplate> {
  return shown((await queries.shareScript(db, id, isShared)) ?? (await findOwn(db, id)))
}

export async function remove({ db }: Writer, id: string): Promise<void> {
  if (!(await queries.deleteScript(db, id))) await findOwn(db, id)
}

export async function generate({ db }: Writer, id: string, parameters: Record<string, unknown>) {
  const template = await find(db, id)
  const { language, requires_elevation, slug } = template
  const { script, warnings } = render(template, parameters)
  await queries.countUse(db, id)
  const ending = { powershell: 'ps1', bash: 'sh', python: 'py' }[language]
  const elevated = requires_elevation ? ['It needs administrator rights'] : []
  return {
    script,
    language,
    requires_elevation,
    warnings: [...elevated, ...warnings],
    filename: `${slug.replace(/-[a-z0-9]{6}$/, '')}.${ending}`,
  }
}

export async function listCategories({ db }: Reader, page: PageQuery) {
  return toPage(await queries.selectCategories(db, page), page.limit)
}

export async function createCategory({ db }: Writer, name: string) {
  return queries.insertCategory(db, name).catch(nameTaken('A category'))
}

/** The script with these values in it; 422 for every value that is wrong, missing or nobody's. */
export function render(template: Template, parameters: Record<string, unknown>): Rendered {
  const faults = [...valueProblems(template.parameters_schema, parameters)]
  if (faults.length > 0) throw invalid(faults.map(([name, msg]) => ({ loc: ['body', 'parameters', name], msg, type: 'parameter' })))
  return renderScript(template, parameters)
}

/** Throws every placeholder that nobody fills or that stands where no value is safe, with its line. */
export function requireSafe(template: Template, field = 'script_body'): void {
  const problems = templateProblems(template)
  if (problems.length === 0) return
  throw invalid(problems.map(({ line, message }) => ({ loc: ['body', field], msg: `Line ${line}: ${message}`, type: 'placeholder' })))
}

/** A name as an address, with a tail that makes it the only one. */
export function newSlug(name: string): string {
  const tail = Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => (byte % 36).toString(36)).join('')
  return `${slugOf(name)}-${tail}`
}

async function find(db: Reader['db'], id: string) {
  const script = await queries.selectScript(db, id)
  if (!script) throw new Problem('not_found', 'Script template not found')
  return script
}

async function findOwn(db: Reader['db'], id: string) {
  const script = await find(db, id)
  if (!script.may_change)
    throw new Problem('forbidden', 'Only who made it, an admin of its team or an account admin may change this script')
  return script
}

function shown({ may_change: _, ...script }: queries.ScriptRow): ScriptTemplate {
  return script
}
